// The syntax of D-Bus names, checked by libdbus, which aborts the program when it gets an invalid
// one.
//
// Syntax only: the bus knows whether a name has an owner or a member exists.

import CDBus

/// A name, a path or a signature that violates the rules of the specification.
public struct DBusNameError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of text that was expected.
  public enum Kind: String, Sendable {
    /// The name of a connection: `org.bluez`, `:1.7`.
    case busName = "bus name"
    /// The name of an interface: `org.bluez.Device1`.
    case interface = "interface name"
    /// The name of a method, property or signal: `Connect`.
    case member = "member name"
    /// The name of an error: `org.bluez.Error.Failed`.
    case errorName = "error name"
    /// The path of an object: `/org/bluez/hci0`.
    case objectPath = "object path"
    /// The types of values: `a{sv}`.
    case signature
  }

  /// The kind of text that was expected.
  public let kind: Kind
  /// The text.
  public let text: String

  public var description: String { "'\(text)' is not a valid \(kind.rawValue)" }
}

/// The rules for names, paths and signatures.
///
/// - Source: D-Bus Specification 0.41, "Valid Names", "Valid Object Paths" and "Valid Signatures".
package enum DBusName {
  /// Checks the syntax of a text.
  package static func check(_ text: String, as kind: DBusNameError.Kind) throws(DBusNameError) {
    let isValid =
      switch kind {
      case .busName: dbus_validate_bus_name(text, nil)
      case .interface: dbus_validate_interface(text, nil)
      case .member: dbus_validate_member(text, nil)
      case .errorName: dbus_validate_error_name(text, nil)
      case .objectPath: dbus_validate_path(text, nil)
      case .signature: dbus_signature_validate(text, nil)
      }
    // libdbus reads the text only up to a NUL.
    guard isValid != 0, !text.utf8.contains(0) else { throw DBusNameError(kind: kind, text: text) }
  }

  /// Whether this is a unique name, which the bus assigns to one connection: `:1.42`.
  package static func isUnique(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: ":") }
}
