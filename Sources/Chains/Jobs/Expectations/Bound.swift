// A number to compare values with.
//
// A Double cannot hold every 64-bit integer, so whole numbers are compared as Int128.

import Bluetooth

/// A finite number to compare with; exact if it is whole.
public struct Bound: Hashable, Sendable, CustomStringConvertible {
  /// The exact number; nil if it is not whole.
  let whole: Int128?
  /// The number, rounded if a Double has too few digits for it.
  let value: Double

  /// Creates a bound from a floating-point number.
  ///
  /// ```swift
  /// let check = Check.atMost(Bound(36.5))
  /// ```
  public init(_ number: Double) {
    self.init(number, written: "")
  }

  /// Creates a bound from a whole number.
  ///
  /// ```swift
  /// let check = Check.atLeast(Bound(20))
  /// ```
  public init(_ number: some BinaryInteger) {
    whole = Int128(number)
    value = Double(number)
  }

  /// - Parameter text: The number as it was written, which may have more digits than a Double.
  init(_ number: Double, written text: String) {
    let digits = text.hasPrefix("0x") ? Int128(text.dropFirst(2), radix: 16) : Int128(text)
    whole = digits ?? Int128(exactly: number)
    value = number
  }

  /// Creates a bound from a decoded number; nil for other values.
  init?(_ decoded: DecodedValue) {
    switch decoded.only {
    case .integer(let number): self.init(number)
    case .real(let number, _): self.init(number)
    case .text, .boolean, .octets, .list, .fields: return nil
    }
  }

  /// Whether a decoded value is in a relation to the number; false for values that are not numbers.
  ///
  /// - Parameters:
  ///   - whole: The comparison for two whole numbers.
  ///   - real: The same comparison for all other numbers.
  func holds(
    for decoded: DecodedValue, _ whole: (Int128, Int128) -> Bool, _ real: (Double, Double) -> Bool
  ) -> Bool {
    guard let other = Bound(decoded) else { return false }
    if let a = other.whole, let b = self.whole { return whole(a, b) }
    return real(other.value, value)
  }

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
