// Device1.Disconnected: why a link ended, in the releases that say so.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// Why a simulated link ended.
enum LinkEnd: Sendable {
  /// A client disconnected, or the adapter was switched off.
  case local
  /// Nothing was heard of the device any more.
  case timeout
  /// The device ended it.
  case remote

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
    }
  }
}

extension RemoteDevice {
  /// Tells why the link ended, before it is told that it did.
  func tell(_ end: LinkEnd) {
    guard host.settings.version >= .disconnectReasons, isExported else { return }
    try? host.server.emit(
      Device1.disconnected,
      of: Device1.interface,
      at: path,
      Device1.disconnectedArguments.encode(end.arguments)
    )
  }
}

extension BlueZVersion {
  /// `Device1.Disconnected` says why a link ended.
  fileprivate static let disconnectReasons = BlueZVersion(5, 83)
}
