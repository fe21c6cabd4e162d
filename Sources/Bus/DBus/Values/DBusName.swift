// The syntax of names on a bus, as libdbus checks it: it stops the program when it is given others.
//
// Checks of text only: whether a name has an owner or a member exists is known to the bus.

import CDBus

/// A name, a path or a signature that violates the rules of the specification.
public struct DBusNameError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What the text was meant to be.
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

  /// What the text was meant to be.
  public let kind: Kind
  /// The text.
  public let text: String

  public var description: String { "'\(text)' is not a valid \(kind.rawValue)" }
}

/// The rules for names, paths and signatures.
///
/// - Source: D-Bus Specification 0.41, "Valid Names", "Valid Object Paths" and "Valid Signatures".
package enum DBusName {
  /// Checks a text.
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
    // libdbus sees the text up to a NUL.
    guard isValid != 0, !text.utf8.contains(0) else { throw DBusNameError(kind: kind, text: text) }
  }

  /// Whether this is a unique name, assigned by the bus to one connection: `:1.42`.
  package static func isUnique(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: ":") }
}
