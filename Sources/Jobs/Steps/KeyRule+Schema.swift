// Rules across keys as JSON Schema.

import Documents

extension Described {
  /// A mapping with these keys as an object.
  ///
  /// - Parameter more: Keys that are not described here.
  static func schema(_ documentation: String, and more: [KeyDescription] = []) -> OrderedJSON {
    OrderedJSON.mapping(keys.map(\.description) + more, documentation, rules.flatMap(\.schema))
  }
}

extension OrderedJSON {
  /// An object with keys and no others.
  static func mapping(
    _ keys: [KeyDescription],
    _ documentation: String,
    _ rules: [Member] = []
  ) -> OrderedJSON {
    let required = keys.filter(\.isRequired).map { OrderedJSON.text($0.name) }
    return .object(
      [
        Member("type", "object"), Member("description", .text(sentence(documentation))),
        Member("properties", .object(keys.map { Member($0.name, $0.schema) })),
      ] + (required.isEmpty ? [] : [Member("required", .list(required))])
        + [Member("additionalProperties", false)] + rules
    )
  }

  private static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst().filter { $0 != "`" } + "."
  }
}

extension KeyDescription {
  /// The schema of the value.
  fileprivate var schema: OrderedJSON {
    let schema = shape.mayBeNull ? .anyOf([.type("null"), shape.schema]) : shape.schema
    return schema.described(documentation.filter { $0 != "`" })
  }
}

extension KeyRule where Owner: Described {
  var schema: [OrderedJSON.Member] {
    switch self {
    case .atLeastOne(let names, _): [.init("anyOf", .list(names.map { Self.required([$0]) }))]
    case .exactlyOne(let names, _):
      [.init("anyOf", .list(names.map { Self.required([$0] + Self.partners(of: $0)) }))]
    case .atMostOne(let names, _), .identified(let names, _):
      [.init("oneOf", .list(names.map { Self.required([$0]) }))]
    case .exclusive(let name, let others, _):
      [
        .init(
          "not",
          Self.required([name]).adding("anyOf", .list(others.map { Self.required([$0]) }))
        )
      ]
    case .pair, .values: []
    }
  }

  /// The keys that a key needs.
  private static func partners(of name: String) -> [String] {
    Owner.rules.compactMap { rule in
      if case .pair(name, let partner) = rule { partner } else { nil }
    }
  }

  private static func required(_ names: [String]) -> OrderedJSON {
    ["required": .list(names.map { .text($0) })]
  }
}
