// Pieces of JSON Schema.

import Documents

extension OrderedJSON {
  static func reference(_ definition: String) -> OrderedJSON {
    ["$ref": .text("#/definitions/\(definition)")]
  }

  static func anyOf(_ schemas: [OrderedJSON]) -> OrderedJSON { ["anyOf": .list(schemas)] }

  static func type(_ names: String...) -> OrderedJSON {
    ["type": names.count == 1 ? .text(names[0]) : .list(names.map { .text($0) })]
  }

  static func oneOf(_ words: [String]) -> OrderedJSON { ["enum": .list(words.map { .text($0) })] }

  /// A list of `items`.
  static func list(of items: OrderedJSON, _ count: ClosedRange<Int>? = nil) -> OrderedJSON {
    let list: OrderedJSON = [
      "type": "array", "items": items, "minItems": .integer(count?.lowerBound ?? 1),
    ]
    return count.map { list.adding("maxItems", .integer($0.upperBound)) } ?? list
  }

  /// This, or a variable.
  var orVariable: OrderedJSON { .anyOf([self, .reference("variable")]) }

  /// The schema with a description at its end.
  func described(_ text: String) -> OrderedJSON {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.key != "description" })
      .adding("description", .text(text))
  }

  /// A single value of any type.
  static let scalar = OrderedJSON.type("string", "number", "integer", "boolean")
}
