// A value that carries its type: `v`.

/// One value of any type.
public struct DBusVariant: Hashable, Sendable {
  /// The value inside.
  public let value: DBusValue

  /// Wraps a value.
  public init(_ value: DBusValue) { self.value = value }
}
