// A value that carries its type: `v`.

/// One value of any type.
package struct DBusVariant: Hashable, Sendable {
  /// The value inside.
  package let value: DBusValue

  /// Wraps a value.
  package init(_ value: DBusValue) { self.value = value }
}
