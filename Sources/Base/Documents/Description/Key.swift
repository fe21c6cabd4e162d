// The description of one key of a mapping: its name, its value, and the property that stores it.

/// A key of a mapping that becomes a `Payload`.
public struct Key<Payload, State: Reading>: Sendable {
  /// The key as it is written in a file.
  public let name: String
  /// One line for people, in Markdown.
  public let doc: String
  /// The valid values, for errors and tables.
  public let expected: String
  private let makeSchema: @Sendable () -> Schema
  /// Whether a missing key is an error.
  public let isRequired: Bool
  /// The default, for tables; empty when it is obvious.
  public let usual: @Sendable (Payload) -> String
  let read: @Sendable (Node, inout Payload, inout State) -> Void

  /// The JSON Schema of the value of the key.
  public var schema: Schema { makeSchema() }

  /// A key whose value is stored by a closure.
  ///
  /// - Parameters:
  ///   - name: The key as it is written.
  ///   - shape: The kind of value.
  ///   - isRequired: Whether a missing key is an error.
  ///   - usual: The default, for tables, if no property of the payload has it.
  ///   - doc: One line for people, in Markdown.
  ///   - keep: Stores the value. Its last argument is the node of the value.
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

  /// A key for a property. The initial value of the property is the default.
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

  /// A key for an optional property, which stays nil if the key is missing.
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
