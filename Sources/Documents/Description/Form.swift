// A mapping by its keys: one description that reads it and makes its schema and its table.

import Spelling

/// The description of a mapping: its keys in order, the rules across keys, and what it is for.
///
/// Keys are read in the order of the description, so that a key may use what an earlier one stored
/// in the state.
public struct Form<Payload, State: Reading>: Sendable {
  /// What the mapping is, for the schema.
  public let doc: String
  /// The value of an empty mapping.
  public let initial: @Sendable () -> Payload
  /// The keys, in the order in which they are read.
  public let keys: [Key<Payload, State>]
  /// The rules across keys.
  public let rules: [KeyRule]

  /// Describes a mapping with these keys.
  ///
  /// ```swift
  /// struct Settings { var every = Duration.seconds(10) }
  /// struct State: Reading { var problems: [Problem] = [] }
  /// let form = Form<Settings, State>(
  ///   "The settings of a logger", Settings(),
  ///   [Key("every", \.every, .duration(.seconds(1) ... .seconds(3600)), "the interval")])
  /// var state = State()
  /// let settings = form.read(try Document.parse("every: 30s", file: "log.yaml"), &state)
  /// ```
  public init(
    _ doc: String,
    _ initial: @autoclosure @escaping @Sendable () -> Payload,
    _ keys: [Key<Payload, State>],
    rules: [KeyRule] = []
  ) {
    self.doc = doc
    self.initial = initial
    self.keys = keys
    self.rules = rules
  }

  /// The value of a mapping. Errors are added to the state; the valid keys are read all the same.
  public func read(_ node: Node, _ state: inout State) -> Payload {
    var payload = initial()
    read(node, into: &payload, &state)
    return payload
  }

  /// Reads into an existing value.
  public func read(_ node: Node, into payload: inout Payload, _ state: inout State) {
    var mapping = MappingReader(node)
    for key in keys {
      if let value = mapping.optional(key.name) {
        key.read(value, &payload, &state)
      } else if key.isRequired {
        state.problems.append(
          node.problem("the key '\(key.name)' is missing", expected: key.expected)
        )
      }
    }
    let unknown = mapping.finish()
    if node.mapping != nil || node.isNull {
      let asked = unknown.isEmpty ? rules : rules.filter { !$0.needsKey }
      state.problems += asked.compactMap { $0.problem(node) }
    }
    state.problems += unknown
  }

  // MARK: Schema and table

  /// The JSON Schema of the mapping.
  public var schema: Schema {
    let schemas = keys.map(\.schema)
    let properties = zip(keys, schemas).map { key, schema in
      JSONValue.Member(key.name, schema.described(key.doc.withoutMarkdown).json)
    }
    let required = keys.filter(\.isRequired).map { JSONValue.string($0.name) }
    var json: JSONValue = ["type": "object"]
    if !doc.isEmpty { json = json.adding("description", .string(doc)) }
    json = json.adding("properties", .object(properties)).adding("additionalProperties", false)
    if !required.isEmpty { json = json.adding("required", .array(required)) }
    let across = rules.map(\.schema)
    if !across.isEmpty { json = json.adding("allOf", .array(across)) }
    return Schema(json, of: schemas)
  }

  /// The keys as a table in Markdown.
  public var table: String {
    let payload = initial()
    let rows = keys.map { key in
      "| `\(key.name)` | \(key.doc) | \(key.expected.inCell) | \(key.usual(payload).inCell) |"
    }
    let head = ["| key | what it is | value | without it |", "|---|---|---|---|"]
    return (head + rows).joined(separator: "\n") + "\n"
  }
}

extension Shape {
  /// The shape of a mapping. It is described when it is read: a file without it costs nothing.
  public static func mapping(
    _ form: @autoclosure @escaping @Sendable () -> Form<Value, State>
  ) -> Shape {
    Shape("a mapping", schema: form().schema) { node, state in form().read(node, &state) }
  }
}

extension String {
  /// In a cell of a table in Markdown.
  fileprivate var inCell: String { replacing("|", with: "\\|") }

  /// Without the marks of code and of links.
  public var withoutMarkdown: String {
    replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.1) }.replacing("`", with: "")
  }
}

/// A rule across the keys of a mapping.
public struct KeyRule: Sendable {
  private let makeSchema: @Sendable () -> JSONValue
  /// Whether a misspelt key may cause the problem: then only the unknown key is reported.
  let needsKey: Bool
  private let check: @Sendable (_ mapping: Node) -> Problem?

  /// The rule in JSON Schema.
  public var schema: JSONValue { makeSchema() }

  /// A rule; with `needsKey`, an unknown key of the mapping is reported instead, since it may be
  /// the missing one.
  public init(
    schema: @autoclosure @escaping @Sendable () -> JSONValue,
    needsKey: Bool = false,
    check: @escaping @Sendable (_ mapping: Node) -> Problem?
  ) {
    makeSchema = schema
    self.needsKey = needsKey
    self.check = check
  }

  func problem(_ mapping: Node) -> Problem? { check(mapping) }

  /// At most one of these keys.
  public static func exclusive(_ keys: [String]) -> KeyRule {
    let given = keys.map { JSONValue.required($0) }
    let none: JSONValue = ["not": .anyOf(given)]
    let schema: JSONValue =
      keys.count == 2
      ? ["not": .required(keys[0], keys[1])] : ["oneOf": .array(given + [none])]
    return KeyRule(schema: schema) { mapping in
      let found = keys.compactMap { key in mapping.value(of: key).map { (key, $0) } }
      guard found.count > 1 else { return nil }
      return found[1].1.problem("'\(found[0].0)' and '\(found[1].0)' exclude each other")
    }
  }

  /// At least one of these keys.
  public static func some(
    of keys: [String],
    _ message: String,
    expected: String? = nil
  ) -> KeyRule {
    KeyRule(schema: ["anyOf": .requiring(each: keys)]) { mapping in
      if keys.contains(where: { mapping.value(of: $0) != nil }) { return nil }
      return mapping.problem(message, expected: expected)
    }
  }

  /// Exactly one of these keys.
  public static func one(of keys: [String], _ message: String, expected: String) -> KeyRule {
    KeyRule(schema: ["oneOf": .requiring(each: keys)], needsKey: true) { mapping in
      let count = keys.count { mapping.value(of: $0) != nil }
      return count == 1 ? nil : mapping.problem(message, expected: expected)
    }
  }

  /// A key that needs one of other keys.
  public static func only(
    _ key: String,
    with others: [String],
    _ message: String,
    expected: String? = nil
  ) -> KeyRule {
    let need: JSONValue =
      others.count == 1 ? .required(others[0]) : ["anyOf": .requiring(each: others)]
    return KeyRule(schema: ["if": .required(key), "then": need], needsKey: true) { mapping in
      guard let node = mapping.value(of: key),
        !others.contains(where: { mapping.value(of: $0) != nil })
      else { return nil }
      return node.problem(message, expected: expected)
    }
  }

  /// A key that excludes another one.
  public static func never(_ key: String, with other: String, _ message: String) -> KeyRule {
    KeyRule(schema: ["not": .required(other, key)]) { mapping in
      mapping.value(of: other) == nil ? nil : mapping.value(of: key)?.problem(message)
    }
  }
}

extension Node {
  /// The value under a key of a mapping.
  public func value(of key: String) -> Node? { mapping?.first { $0.key == key }?.value }
}
