// A number that values are compared with.
//
// A Double has fewer digits than an integer of 64 bits: whole numbers are compared as such.

import Bluetooth

/// A finite number to compare with, exact where it is whole.
public struct Bound: Hashable, Sendable, CustomStringConvertible {
  /// The number; nil where it is not whole.
  let whole: Int128?
  /// The number, rounded where it has more digits.
  let value: Double

  /// A number.
  ///
  /// ```swift
  /// let check = Check.atMost(Bound(36.5))
  /// ```
  public init(_ number: Double) {
    self.init(number, written: "")
  }

  /// A whole number.
  ///
  /// ```swift
  /// let check = Check.atLeast(Bound(20))
  /// ```
  public init(_ number: some BinaryInteger) {
    whole = Int128(number)
    value = Double(number)
  }

  /// - Parameter text: The number as it is written.
  init(_ number: Double, written text: String) {
    let digits = text.hasPrefix("0x") ? Int128(text.dropFirst(2), radix: 16) : Int128(text)
    whole = digits ?? Int128(exactly: number)
    value = number
  }

  /// The number of a decoded value; nil for anything else.
  init?(_ decoded: DecodedValue) {
    switch decoded.only {
    case .integer(let number): self.init(number)
    case .real(let number, _): self.init(number)
    case .text, .boolean, .octets, .list, .fields: return nil
    }
  }

  /// Whether a value is in a relation to the number; never for what is not a number.
  ///
  /// - Parameters:
  ///   - whole: The relation of whole numbers.
  ///   - real: The same relation of others.
  func holds(
    for decoded: DecodedValue, _ whole: (Int128, Int128) -> Bool, _ real: (Double, Double) -> Bool
  ) -> Bool {
    guard let other = Bound(decoded) else { return false }
    if let a = other.whole, let b = self.whole { return whole(a, b) }
    return real(other.value, value)
  }

  /// Whether a number is not above another one.
  static func <= (a: Bound, b: Bound) -> Bool {
    if let a = a.whole, let b = b.whole { return a <= b }
    return a.value <= b.value
  }

  public var description: String { whole.map { "\($0)" } ?? "\(value)" }
}

extension Bound: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  public init(integerLiteral number: Int) { self.init(number) }

  public init(floatLiteral number: Double) { self.init(number) }
}
