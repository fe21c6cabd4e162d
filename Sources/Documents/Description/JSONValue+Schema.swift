// Pieces of JSON Schema.

extension JSONValue {
  package static func reference(_ definition: String) -> JSONValue {
    ["$ref": .string("#/definitions/\(definition)")]
  }

  package static func anyOf(_ schemas: [JSONValue]) -> JSONValue { ["anyOf": .array(schemas)] }

  package static func type(_ names: String...) -> JSONValue {
    ["type": names.count == 1 ? .string(names[0]) : texts(names)]
  }

  package static func oneOf(_ words: [String]) -> JSONValue { ["enum": texts(words)] }

  /// A list of `items`, without a count of one at least.
  package static func list(
    of items: JSONValue,
    _ count: ClosedRange<Int> = 1...(.max)
  ) -> JSONValue {
    var list: JSONValue = ["type": "array", "items": items]
    if count.lowerBound > 0 { list = list.adding("minItems", JSONValue(count.lowerBound)) }
    if count.upperBound < .max { list = list.adding("maxItems", JSONValue(count.upperBound)) }
    return list
  }

  /// A mapping in which keys are present.
  package static func required(_ names: String...) -> JSONValue { ["required": texts(names)] }

  /// A schema for each key: a mapping in which it is present.
  package static func requiring(each names: [String]) -> JSONValue {
    .array(names.map { .required($0) })
  }

  private static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
