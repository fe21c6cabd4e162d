// Rules across keys as JSON Schema.

extension Described {
  /// A mapping with these keys as an object.
  ///
  /// - Parameter more: Keys that are not described here.
  static func schema(_ documentation: String, and more: [KeyDescription] = []) -> JSONValue {
    JSONValue.mapping(keys.map(\.description) + more, documentation, rules.flatMap(\.schema))
  }
}

extension JSONValue {
  /// An object with keys and no others.
  static func mapping(
    _ keys: [KeyDescription],
    _ documentation: String,
    _ rules: [(key: String, value: JSONValue)] = []
  ) -> JSONValue {
    let required = keys.filter(\.isRequired).map { JSONValue.string($0.name) }
    return .object(
      [
        ("type", .string("object")), ("description", .string(sentence(documentation))),
        ("properties", .object(keys.map { ($0.name, $0.schema) })),
      ] + (required.isEmpty ? [] : [("required", .array(required))])
        + [("additionalProperties", .boolean(false))] + rules
    )
  }

  private static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst().filter { $0 != "`" } + "."
  }
}

extension KeyDescription {
  /// The schema of the value.
  fileprivate var schema: JSONValue {
    let schema = shape.mayBeNull ? .anyOf([.type("null"), shape.schema]) : shape.schema
    return schema.described(documentation.filter { $0 != "`" })
  }
}

extension KeyRule where Owner: Described {
  var schema: [(key: String, value: JSONValue)] {
    switch self {
    case .atLeastOne(let names, _): [("anyOf", .array(names.map { Self.required([$0]) }))]
    case .exactlyOne(let names, _):
      [("anyOf", .array(names.map { Self.required([$0] + Self.partners(of: $0)) }))]
    case .atMostOne(let names, _): [("oneOf", .array(names.map { Self.required([$0]) }))]
    case .pair, .values: []
    }
  }

  /// The keys that a key needs.
  private static func partners(of name: String) -> [String] {
    Owner.rules.compactMap { rule in
      if case .pair(name, let partner) = rule { partner } else { nil }
    }
  }

  private static func required(_ names: [String]) -> JSONValue {
    .object([("required", .array(names.map { .string($0) }))])
  }
}
