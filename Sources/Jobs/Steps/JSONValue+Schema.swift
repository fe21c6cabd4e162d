// Pieces of JSON Schema.

extension JSONValue {
  static func reference(_ definition: String) -> JSONValue {
    .object([("$ref", .string("#/definitions/\(definition)"))])
  }

  static func anyOf(_ schemas: [JSONValue]) -> JSONValue { .object([("anyOf", .array(schemas))]) }

  static func type(_ names: String...) -> JSONValue {
    let names = names.map { JSONValue.string($0) }
    return .object([("type", names.count == 1 ? names[0] : .array(names))])
  }

  static func oneOf(_ words: [String]) -> JSONValue {
    .object([("enum", .array(words.map { .string($0) }))])
  }

  /// A list of `items`.
  static func list(of items: JSONValue, _ count: ClosedRange<Int>? = nil) -> JSONValue {
    let bounds = [
      ("minItems", JSONValue(count?.lowerBound ?? 1)),
      ("maxItems", count.map { JSONValue($0.upperBound) } ?? .null),
    ].filter { $0.1 != .null }
    return .object([("type", .string("array")), ("items", items)] + bounds)
  }

  /// This, or a variable.
  var orVariable: JSONValue { .anyOf([self, .reference("variable")]) }

  /// The schema with a description.
  func described(_ text: String) -> JSONValue {
    guard case .object(let members) = self else { return self }
    let rest = members.filter { $0.key != "description" }
    return .object(rest + [("description", .string(text))])
  }

  /// A single value of any type.
  static let scalar = JSONValue.type("string", "number", "integer", "boolean")

  /// The text, indented; a value that fits on one line is on one line.
  func indented(_ depth: Int = 0, width: Int = 100, used: Int = 0) -> String {
    let inline = inlineText
    let margin = String(repeating: "  ", count: depth)
    guard margin.count + used + inline.count > width else { return inline }
    let inner = margin + "  "
    switch self {
    case .array(let values) where !values.isEmpty:
      let lines = values.map { inner + $0.indented(depth + 1, width: width, used: 1) }
      return "[\n" + lines.joined(separator: ",\n") + "\n" + margin + "]"
    case .object(let members) where !members.isEmpty:
      let lines = members.map { key, value in
        let name = JSONValue.string(key).text + ": "
        return inner + name
          + value.indented(depth + 1, width: width, used: name.count + 1)
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n" + margin + "}"
    case .null, .boolean, .number, .string, .array, .object: return inline
    }
  }

  /// The text on one line, with a space after each comma and colon.
  private var inlineText: String {
    switch self {
    case .null, .boolean, .number, .string: text
    case .array(let values): "[" + values.map(\.inlineText).joined(separator: ", ") + "]"
    case .object(let members):
      "{"
        + members.map { "\(JSONValue.string($0.key).text): \($0.value.inlineText)" }
        .joined(separator: ", ") + "}"
    }
  }
}
