// JSON Schemas of mappings, derived from the descriptions of their keys.

import Documents

extension Described {
  /// The schema of a mapping with these keys, as an object.
  ///
  /// - Parameter more: Keys that `keys` does not contain.
  static func schema(_ documentation: String, and more: [KeyDescription] = []) -> JSONValue {
    JSONValue.mapping(keys.map(\.description) + more, documentation, rules.compactMap(\.schema))
  }
}

extension JSONValue {
  /// The schema of an object that has these keys and no others.
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

  /// The schema that also accepts a variable in braces.
  var orVariable: JSONValue { .anyOf([self, .reference("variable")]) }

  /// Returns the schema with its description replaced, as the last member.
  func described(_ text: String) -> JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.key != "description" })
      .adding("description", .string(text))
  }

  /// The schema of a single value of any type.
  static let scalar = JSONValue.type("string", "number", "integer", "boolean")
}

extension KeyDescription {
  fileprivate var schema: JSONValue {
    let schema = shape.mayBeNull ? .anyOf([.type("null"), shape.schema]) : shape.schema
    return schema.described(documentation.filter { $0 != "`" })
  }
}
