// Mappings of chains and batches as JSON Schema.

import Documents

extension Described {
  /// A mapping with these keys as an object.
  ///
  /// - Parameter more: Keys that are not described here.
  static func schema(_ documentation: String, and more: [KeyDescription] = []) -> JSONValue {
    JSONValue.mapping(keys.map(\.description) + more, documentation, rules.compactMap(\.schema))
  }
}

extension JSONValue {
  /// An object with keys and no others.
  static func mapping(
    _ keys: [KeyDescription], _ documentation: String, _ rules: [JSONValue] = []
  ) -> JSONValue {
    let required = keys.filter(\.isRequired).map { JSONValue.string($0.name) }
    let description = documentation.prefix(1).uppercased() + documentation.dropFirst() + "."
    var schema: JSONValue = [
      "type": "object", "description": .string(description.filter { $0 != "`" }),
      "properties": .object(keys.map { Member($0.name, $0.schema) }),
    ]
    if !required.isEmpty { schema = schema.adding("required", .array(required)) }
    schema = schema.adding("additionalProperties", false)
    guard rules.count == 1, case .object(let members) = rules[0] else {
      return rules.isEmpty ? schema : schema.adding("allOf", .array(rules))
    }
    return members.reduce(schema) { $0.adding($1.key, $1.value) }
  }

  /// This, or a variable.
  var orVariable: JSONValue { .anyOf([self, .reference("variable")]) }

  /// The schema with a description at its end.
  func described(_ text: String) -> JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.key != "description" })
      .adding("description", .string(text))
  }

  /// A single value of any type.
  static let scalar = JSONValue.type("string", "number", "integer", "boolean")
}

extension KeyDescription {
  fileprivate var schema: JSONValue {
    let schema = shape.mayBeNull ? .anyOf([.type("null"), shape.schema]) : shape.schema
    return schema.described(documentation.filter { $0 != "`" })
  }
}
