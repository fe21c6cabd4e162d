// JSON values. Objects keep the order of their members, and numbers keep their digits.
//
// JSONText.swift has the parser.

/// A JSON value.
///
/// It can be written as a literal: `["type": "integer", "minimum": 1]`.
public indirect enum JSONValue: Hashable, Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case boolean(Bool)
  /// A number as its text.
  case number(String)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object, whose members keep their order.
  case object([Member])

  /// One entry of an object.
  public struct Member: Hashable, Sendable {
    /// The name of the member.
    public let key: String
    /// The value of the member.
    public let value: JSONValue

    /// A member of an object.
    public init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// A number; null for a number that is not finite, which JSON cannot represent.
  public init(_ number: Double) { self = number.isFinite ? .number("\(number)") : .null }

  /// A whole number.
  public init(_ number: Int) { self = .number("\(number)") }

  // MARK: Parts

  /// The value of a member; nil if it is missing or this is not an object.
  public subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The object with a member appended, or replaced in place if the key exists.
  ///
  /// ```swift
  /// let json: JSONValue = ["name": "Soil"]
  /// print(json.adding("devices", 12).text)
  /// ```
  public func adding(_ key: String, _ value: JSONValue) -> JSONValue {
    guard case .object(var members) = self else { return self }
    let member = Member(key, value)
    if let index = members.firstIndex(where: { $0.key == key }) {
      members[index] = member
    } else {
      members.append(member)
    }
    return .object(members)
  }

  /// The text of a string; nil for other values.
  package var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The value of a whole number; nil for other values.
  package var integer: Int? { if case .number(let text) = self { Int(text) } else { nil } }

  /// The value of a number; nil for other values.
  package var double: Double? { if case .number(let text) = self { Double(text) } else { nil } }

  /// The elements of an array; empty for other values.
  package var elements: [JSONValue] { if case .array(let values) = self { values } else { [] } }

  // MARK: Text

  /// The JSON text on one line, without spaces.
  public var text: String { line(comma: ",", colon: ":") }

  /// The JSON text on one line, with spaces for people.
  public var compact: String { line(comma: ", ", colon: ": ") }

  /// The value as the text of a file, with a newline at its end: indented by two spaces; a value
  /// that fits into `width` columns is on one line.
  ///
  /// ```swift
  /// let json: JSONValue = ["name": "Soil", "devices": 12]
  /// print(json.text())
  /// ```
  public func text(width: Int = 100) -> String { lines(indent: 0, before: 0, width) + "\n" }

  private func line(comma: String, colon: String) -> String {
    var text = ""
    write(to: &text, comma: comma, colon: colon)
    return text
  }

  private func write(to text: inout String, comma: String, colon: String) {
    switch self {
    case .null: text += "null"
    case .boolean(let truth): text += truth ? "true" : "false"
    case .number(let number): text += number
    case .string(let string): Self.write(string, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += comma }
        value.write(to: &text, comma: comma, colon: colon)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += comma }
        Self.write(member.key, to: &text)
        text += colon
        member.value.write(to: &text, comma: comma, colon: colon)
      }
      text += "}"
    }
  }

  /// The text, indented, on several lines if necessary.
  ///
  /// - Parameter before: The width of the preceding key, in columns.
  private func lines(indent: Int, before: Int, _ width: Int) -> String {
    let compact = compact
    // A comma may follow.
    let fits = indent + before + compact.count < width && indent > 0
    let inner = String(repeating: " ", count: indent + 2)
    let outer = String(repeating: " ", count: indent)
    switch self {
    case .array(let values) where !fits && !values.isEmpty:
      let lines = values.map { inner + $0.lines(indent: indent + 2, before: 0, width) }
      return "[\n" + lines.joined(separator: ",\n") + "\n\(outer)]"
    case .object(let members) where !fits && !members.isEmpty:
      let lines = members.map { member in
        let key = JSONValue.string(member.key).text + ": "
        return inner + key + member.value.lines(indent: indent + 2, before: key.count, width)
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(outer)}"
    case .null, .boolean, .number, .string, .array, .object: return compact
    }
  }

  /// Appends a string in quotes. Characters that are not printable are escaped.
  private static func write(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.isPrintable: text.unicodeScalars.append(scalar)
      default:
        // A character beyond the first plane is a surrogate pair of two escapes.
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }
      }
    }
    text += "\""
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int) { self.init(value) }
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}

extension Unicode.Scalar {
  /// Whether the character is visible in its place and has no other effect.
  ///
  /// Controls (including C1), line and paragraph separators, and characters that have no width or
  /// reorder others are not printable. Emoji variation selectors are.
  ///
  /// - Source: Unicode 15, 4.5 (General Category) and 5.21 (Default Ignorable Code Points); UAX 9,
  ///   2 (directional formatting characters).
  package var isPrintable: Bool {
    switch value {
    case 0x20...0x7e, 0xa0...0xac, 0xae...0x2ff, 0xfe00...0xfe0f: return true
    case 0x0...0x9f: return false
    default: break
    }
    guard !properties.isDefaultIgnorableCodePoint, !properties.isNoncharacterCodePoint else {
      return false
    }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return false
    // open: categories of Unicode
    default: return true
    }
  }
}
