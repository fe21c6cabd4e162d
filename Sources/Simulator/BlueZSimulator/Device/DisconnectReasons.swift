// Device1.Disconnected: the signal with the reason of a disconnect, in the releases that have it.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// The reason why a simulated connection ended.
enum LinkEnd: Sendable {
  /// A client disconnected, or the adapter was powered off.
  case local
  /// The supervision timeout expired.
  case timeout
  /// The device disconnected.
  case remote
  /// The device no longer has the key of the bond.
  case authentication

  /// The arguments of the signal.
  ///
  /// - Source: BlueZ 5.83, `src/device.c` (device_disconnected).
  var arguments: (name: String, message: String) {
    switch self {
    case .local:
      (Device1.DisconnectReason.local, "Connection terminated by local host")
    case .timeout:
      (Device1.DisconnectReason.timeout, "Connection timeout")
    case .remote:
      (Device1.DisconnectReason.remote, "Connection terminated by remote user")
    case .authentication:
      (
        Device1.DisconnectReason.authentication,
        "Connection terminated due to authentication failure"
      )
    }
  }
}

extension RemoteDevice {
  /// Signals the reason before the end of the connection is announced.
  func announce(_ end: LinkEnd) {
    let version = host.settings.version
    guard version.has(.disconnectReasons), isExported else { return }
    let bearers = version.has(.bearerInterfaces) ? [BearerLE1.interface] : []
    for interface in bearers + [Device1.interface] {
      try? host.server.emit(
        Device1.disconnected, of: interface, at: path,
        Device1.disconnectedArguments.encode(end.arguments)
      )
    }
  }
}
