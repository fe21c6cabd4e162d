// JSON whose members keep their order, formatted for people.
//
// For generated files such as schemas. It does not parse JSON.

/// A JSON value whose members keep the order in which they were added.
///
/// It can be written as a literal: `["type": "integer", "minimum": 1]`.
public indirect enum OrderedJSON: Hashable, Sendable {
  /// `true` or `false`.
  case truth(Bool)
  /// A whole number.
  case integer(Int)
  /// A number with a fraction.
  case number(Double)
  /// A string.
  case text(String)
  /// An array.
  case list([OrderedJSON])
  /// An object, whose members keep their order.
  case object([Member])

  /// One entry of an object.
  public struct Member: Hashable, Sendable {
    /// The name of the member.
    public let key: String
    /// What the name stands for.
    public let value: OrderedJSON

    /// A member of an object.
    public init(_ key: String, _ value: OrderedJSON) {
      self.key = key
      self.value = value
    }
  }

  /// The value of a member; nil without one.
  public subscript(key: String) -> OrderedJSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The object with a member added at the end, or replaced in place when the key exists.
  ///
  /// ```swift
  /// let json: OrderedJSON = ["name": "Soil"]
  /// print(json.adding("devices", 12).compact)
  /// ```
  public func adding(_ key: String, _ value: OrderedJSON) -> OrderedJSON {
    guard case .object(var members) = self else { return self }
    let member = Member(key, value)
    if let index = members.firstIndex(where: { $0.key == key }) {
      members[index] = member
    } else {
      members.append(member)
    }
    return .object(members)
  }

  // MARK: Text

  /// The value as the text of a file, with a newline at its end: indented by two spaces; a value
  /// that fits into `width` columns is on one line.
  ///
  /// ```swift
  /// let json: OrderedJSON = ["name": "Soil", "devices": 12]
  /// print(json.text())
  /// ```
  public func text(width: Int = 100) -> String { lines(indent: 0, before: 0, width) + "\n" }

  /// The value on one line.
  public var compact: String {
    switch self {
    case .truth(let truth): "\(truth)"
    case .integer(let integer): "\(integer)"
    case .number(let number): "\(number)"
    case .text(let text): Self.quoted(text)
    case .list(let list): "[" + list.map(\.compact).joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.map { "\(Self.quoted($0.key)): \($0.value.compact)" }.joined(separator: ", ")
        + "}"
    }
  }

  /// - Parameter before: How many columns the key before it takes.
  private func lines(indent: Int, before: Int, _ width: Int) -> String {
    let compact = compact
    // A comma may follow.
    let fits = indent + before + compact.count < width && indent > 0
    let inner = String(repeating: " ", count: indent + 2)
    let outer = String(repeating: " ", count: indent)
    switch self {
    case .list(let list) where !fits && !list.isEmpty:
      let lines = list.map { inner + $0.lines(indent: indent + 2, before: 0, width) }
      return "[\n" + lines.joined(separator: ",\n") + "\n\(outer)]"
    case .object(let members) where !fits && !members.isEmpty:
      let lines = members.map { member in
        let key = Self.quoted(member.key) + ": "
        return inner + key + member.value.lines(indent: indent + 2, before: key.count, width)
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(outer)}"
    case .truth, .integer, .number, .text, .list, .object: return compact
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

extension OrderedJSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .text(value) }
  public init(integerLiteral value: Int) { self = .integer(value) }
  public init(booleanLiteral value: Bool) { self = .truth(value) }
  public init(arrayLiteral elements: OrderedJSON...) { self = .list(elements) }
  public init(dictionaryLiteral elements: (String, OrderedJSON)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}
