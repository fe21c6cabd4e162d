// The description of a mapping, which reads it and derives its schema and its table.

/// The description of a mapping: its keys in order, the rules across keys, and its purpose.
///
/// Keys are read in the order of the description, so that a key may use what an earlier one stored
/// in the state.
public struct Form<Payload, State: Reading>: Sendable {
  /// The purpose of the mapping, for the schema.
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

  /// Reads a mapping. Errors are added to the state, and do not prevent reading the other keys.
  public func read(_ node: Node, _ state: inout State) -> Payload {
    var payload = initial()
    read(node, into: &payload, &state)
    return payload
  }

  /// Reads a mapping into an existing value.
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
      state.problems += asked.flatMap { $0.problems(node) }
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
    let across = rules.compactMap(\.schema)
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
  /// The shape of a mapping. The form is made on each use, so a file without such a mapping pays
  /// nothing.
  public static func mapping(
    _ form: @autoclosure @escaping @Sendable () -> Form<Value, State>
  ) -> Shape {
    Shape("a mapping", schema: form().schema) { node, state in form().read(node, &state) }
  }
}

extension String {
  /// The text escaped for a cell of a Markdown table.
  fileprivate var inCell: String { replacing("|", with: "\\|") }

  /// The text without the Markdown of code and links.
  public var withoutMarkdown: String {
    replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.1) }.replacing("`", with: "")
  }
}
