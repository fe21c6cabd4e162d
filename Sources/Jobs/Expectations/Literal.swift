// A value that a chain compares with.

import Bluetooth

/// What was written in a chain to be compared with: `72`, `chest`, `true`, `01ff`.
public struct Literal: Hashable, Sendable, CustomStringConvertible {
  public let text: String
  /// The number it is; nil for what is none, or is in quotes.
  public let number: Double?

  /// A literal as written.
  ///
  /// - Parameter isQuoted: Whether it is text although it may look like a number.
  public init(_ text: String, isQuoted: Bool = false) {
    self.text = text
    number = isQuoted ? nil : Self.number(text)
  }

  /// The finite number that `text` is, in decimals or after `0x`.
  static func number(_ text: String) -> Double? {
    if text.hasPrefix("0x") { return UInt64(text.dropFirst(2), radix: 16).map { Double($0) } }
    // Double reads words for infinities and hexadecimal fractions too: those are text here.
    guard text.allSatisfy({ "0123456789+-.eE".contains($0) }) else { return nil }
    return Double(text).flatMap { $0.isFinite ? $0 : nil }
  }

  /// Whether a value is what is written here. One field alone counts as its value.
  func equals(_ value: DecodedValue) -> Bool {
    switch value {
    case .integer(let integer): number == Double(integer)
    // What was sent in 32 bits is compared as precisely as it was sent.
    case .real(let real, _): number.map { $0 == real || Float($0) == Float(real) } ?? false
    case .boolean(let truth): (truth ? ["true", "yes"] : ["false", "no"]).contains(text)
    case .fields(let fields) where fields.count == 1: equals(fields[0].value)
    case .text, .octets, .fields, .list: value.description == text
    }
  }

  public var description: String {
    let looksLikeNumber = number == nil && Self.number(text) != nil
    return looksLikeNumber ? "\"\(text)\"" : Quoting.quoted(MessageTemplate.escaped(text))
  }

  /// As it is written in a list of several, where a comma or two dots would mean something.
  var listed: String {
    text.contains(",") || text.contains("..")
      ? Quoting.always(MessageTemplate.escaped(text)) : description
  }
}
