// One key of a mapping: its name, what may be written under it, and where that goes.

/// A key of a mapping that makes a `Payload`.
public struct Key<Payload, State: Reading>: Sendable {
  public let name: String
  /// One line for people, in Markdown.
  public let doc: String
  /// What may be written under it.
  public let expected: String
  private let makeSchema: @Sendable () -> Schema
  public let isRequired: Bool
  /// What holds without the key, for tables; empty when that goes without saying.
  public let usual: @Sendable (Payload) -> String
  let read: @Sendable (Node, inout Payload, inout State) -> Void

  public var schema: Schema { makeSchema() }

  /// A key whose value is kept by `keep`.
  ///
  /// - Parameters:
  ///   - usual: What holds without the key, where no property of the payload says so.
  ///   - keep: Gets the value, and the node that it was read from.
  public init<Value>(
    _ name: String,
    _ shape: Shape<Value, State>,
    isRequired: Bool = false,
    usual: String = "",
    _ doc: String,
    keep: @escaping @Sendable (inout Payload, Value, Node) -> Void
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

  /// A key for a property, which keeps what it is without the key.
  public init<Value>(
    _ name: String,
    _ path: any WritableKeyPath<Payload, Value> & Sendable,
    _ shape: Shape<Value, State>,
    isRequired: Bool = false,
    usual: String? = nil,
    _ doc: String
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

  /// A key for a property that is nil without it.
  public init<Value>(
    _ name: String,
    _ path: any WritableKeyPath<Payload, Value?> & Sendable,
    _ shape: Shape<Value, State>,
    isRequired: Bool = false,
    usual: String = "",
    _ doc: String
  ) {
    self.init(name, shape, isRequired: isRequired, usual: usual, doc) { payload, value, _ in
      payload[keyPath: path] = value
    }
  }
}
