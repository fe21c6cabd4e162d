// The address of a bus, and its resolution in an environment.

import CDBus
import Glibc

/// The address of a bus.
public enum BusAddress: Hashable, Sendable {
  /// The system bus, on which bluetoothd runs.
  case system
  /// The session bus of the user.
  case session
  /// An address in the syntax of the specification: `unix:path=/run/bus`.
  case given(String)

  /// The address as text.
  ///
  /// - Parameter environment: Returns the value of an environment variable. An empty value counts
  ///   as unset.
  /// - Throws: ``BusFailure/unreachable(address:reason:)`` when there is no session.
  /// - Source: D-Bus Specification 0.41, "Well-known Message Bus Instances".
  func resolved(environment: (String) -> String?) throws(BusFailure) -> String {
    func variable(_ name: String) -> String? {
      environment(name).flatMap { $0.isEmpty ? nil : $0 }
    }
    switch self {
    case .system:
      return variable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/var/run/dbus/system_bus_socket"
    case .session:
      if let address = variable("DBUS_SESSION_BUS_ADDRESS") { return address }
      if let folder = variable("XDG_RUNTIME_DIR") { return "unix:path=\(Self.escaped(folder))/bus" }
      throw .unreachable(
        address: "session", reason: "neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set"
      )
    case .given(let address): return address
    }
  }

  /// The address as text, resolved in the environment of this process.
  func resolved() throws(BusFailure) -> String {
    try resolved { name in getenv(name).map { String(cString: $0) } }
  }

  /// A value escaped for an address: special characters become `%` and two digits. The result needs
  /// no escape in XML either.
  ///
  /// - Source: D-Bus Specification 0.41, "Server Addresses".
  package static func escaped(_ value: String) -> String {
    guard let text = dbus_address_escape_value(value) else { return value }
    defer { dbus_free(text) }
    return String(cString: text)
  }
}
