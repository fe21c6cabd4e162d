// A value written in a chain, to compare with.

import Bluetooth

/// A value written in a chain: `72`, `chest`, `true`, `01ff`.
public struct Literal: Hashable, Sendable, CustomStringConvertible {
  /// The literal as it was written.
  public let text: String
  /// The number; nil for text, which includes a quoted number.
  public var number: Double? { bound?.value }
  /// The number with all its digits; nil for text.
  let bound: Bound?

  /// Creates a literal.
  ///
  /// A check also accepts Swift texts and whole numbers: `.equal("chest")`, `.equal(72)`.
  ///
  /// ```swift
  /// let size = Check.equal(Literal("0x10", isQuoted: false))  // also the number 16
  /// let label = Check.equal("0x10")  // the text alone
  /// ```
  ///
  /// - Parameters:
  ///   - text: The literal as it was written.
  ///   - isQuoted: Whether it is text even if it looks like a number.
  public init(_ text: String, isQuoted: Bool = false) {
    self.text = text
    bound = isQuoted ? nil : Self.number(text).map { Bound($0, written: text) }
  }

  /// Parses a finite number, decimal or hexadecimal after `0x`.
  static func number(_ text: String) -> Double? {
    if text.hasPrefix("0x") { return UInt64(text.dropFirst(2), radix: 16).map { Double($0) } }
    // Double also parses "inf" and hexadecimal fractions, which are text here.
    guard text.allSatisfy({ "0123456789+-.eE".contains($0) }) else { return nil }
    return Double(text).flatMap { $0.isFinite ? $0 : nil }
  }

  /// Whether a value equals the literal. A value with a single field counts as that field.
  func equals(_ value: DecodedValue) -> Bool {
    switch value.only {
    case .integer: bound?.holds(for: value, ==, ==) ?? false
    // A value sent as a 32-bit float is compared with that precision.
    case .real(let real, _): number.map { $0 == real || Float($0) == Float(real) } ?? false
    case .boolean(let truth): (truth ? ["true", "yes"] : ["false", "no"]).contains(text)
    case .octets: digits == value.only.description
    case .text, .fields, .list: value.only.description == text
    }
  }

  /// The literal as lower-case hexadecimal digits, as bytes are printed; nil unless it is pairs of
  /// digits.
  var digits: String? {
    let text = text.lowercased().filter { !" :-".contains($0) }
    let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
    guard digits.utf8.count.isMultiple(of: 2),
      digits.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
    else { return nil }
    return String(digits)
  }

  public var description: String {
    let looksLikeNumber = number == nil && Self.number(text) != nil
    return looksLikeNumber ? "\"\(text)\"" : Quoting.quoted(MessageTemplate.escaped(text))
  }

  /// The literal as it is written in a list, in which commas and `..` must be quoted.
  var listed: String {
    text.contains(",") || text.contains("..")
      ? Quoting.always(MessageTemplate.escaped(text)) : description
  }
}
