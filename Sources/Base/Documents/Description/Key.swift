// One key of a mapping: its name, its value, and where the value is stored.

/// A key of a mapping that becomes a `Payload`.
public struct Key<Payload, State: Reading>: Sendable {
  /// The key as it is written in a file.
  public let name: String
  /// One line for people, in Markdown.
  public let doc: String
  /// What its value may be.
  public let expected: String
  private let makeSchema: @Sendable () -> Schema
  /// Whether it is an error when the key is missing.
  public let isRequired: Bool
  /// The default, for tables; empty when it is obvious.
  public let usual: @Sendable (Payload) -> String
  let read: @Sendable (Node, inout Payload, inout State) -> Void

  /// The JSON Schema of the value of the key.
  public var schema: Schema { makeSchema() }

  /// A key whose value `keep` stores.
  ///
  /// - Parameters:
  ///   - name: The key as it is written.
  ///   - shape: What its value may be.
  ///   - isRequired: Whether it is an error when the key is missing.
  ///   - usual: The default, where no property of the payload holds it.
  ///   - doc: One line for people, in Markdown.
  ///   - keep: Stores the value; it also gets the node of the value.
  public init<Value>(
    _ name: String, _ shape: Shape<Value, State>, isRequired: Bool = false, usual: String = "",
    _ doc: String, keep: @escaping @Sendable (inout Payload, Value, Node) -> Void
  ) {
    self.name = name
    self.doc = doc
    self.isRequired = isRequired
    expected = shape.expected
    makeSchema = { shape.schema }
    self.usual = { _ in isRequired ? "required" : usual }
    read = { node, payload, state in
      if let value = shape.read(node, &state) { keep(&payload, value, node) }
    }
  }

  /// A key for a property, whose initial value is the default.
  public init<Value>(
    _ name: String, _ path: any WritableKeyPath<Payload, Value> & Sendable,
    _ shape: Shape<
      Value,
      State
    >, isRequired: Bool = false, usual: String? = nil, _ doc: String
  ) {
    self.name = name
    self.doc = doc
    self.isRequired = isRequired
    expected = shape.expected
    makeSchema = { shape.schema }
    self.usual = { payload in
      isRequired ? "required" : usual ?? shape.shown(payload[keyPath: path]) ?? ""
    }
    read = { node, payload, state in
      if let value = shape.read(node, &state) { payload[keyPath: path] = value }
    }
  }

  /// A key for an optional property, which is nil without the key.
  public init<Value>(
    _ name: String, _ path: any WritableKeyPath<Payload, Value?> & Sendable,
    _ shape: Shape<
      Value,
      State
    >, isRequired: Bool = false, usual: String = "", _ doc: String
  ) {
    self.init(name, shape, isRequired: isRequired, usual: usual, doc) { payload, value, _ in
      payload[keyPath: path] = value
    }
  }
}
