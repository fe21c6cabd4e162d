// Pieces of JSON Schema.

extension OrderedJSON {
  package static func reference(_ definition: String) -> OrderedJSON {
    ["$ref": .text("#/definitions/\(definition)")]
  }

  package static func anyOf(_ schemas: [OrderedJSON]) -> OrderedJSON { ["anyOf": .list(schemas)] }

  package static func type(_ names: String...) -> OrderedJSON {
    ["type": names.count == 1 ? .text(names[0]) : texts(names)]
  }

  package static func oneOf(_ words: [String]) -> OrderedJSON { ["enum": texts(words)] }

  /// A list of `items`, without a count of one at least.
  package static func list(
    of items: OrderedJSON,
    _ count: ClosedRange<Int> = 1...(.max)
  ) -> OrderedJSON {
    var list: OrderedJSON = ["type": "array", "items": items]
    if count.lowerBound > 0 { list = list.adding("minItems", .integer(count.lowerBound)) }
    if count.upperBound < .max { list = list.adding("maxItems", .integer(count.upperBound)) }
    return list
  }

  /// A mapping in which keys are present.
  package static func required(_ names: String...) -> OrderedJSON { ["required": texts(names)] }

  /// A schema for each key: a mapping in which it is present.
  package static func requiring(each names: [String]) -> OrderedJSON {
    .list(names.map { .required($0) })
  }

  private static func texts(_ texts: [String]) -> OrderedJSON { .list(texts.map { .text($0) }) }
}
