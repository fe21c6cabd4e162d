// How the attributes of a device reach it.

import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// The path from an exported attribute to its device.
struct AttributeAccess: Sendable {
  let host: Host
  let device: SimulatedDevice
  let queue: RequestQueue
  /// Raises the security of the connection after a refusal; returns whether the refusal is kept
  /// from the client.
  let secure: @Sendable (ATTErrorCode, WaitingCall) -> Bool
  let link: @Sendable () -> LinkView
  /// The number of the socket that was acquired last.
  let lastSocket: Confined<UInt64>

  /// What an attribute needs to know of the link.
  struct LinkView: Sendable {
    let isConnected: Bool
    /// Disconnect was called.
    let isClosing: Bool
  }

  var address: BluetoothAddress { device.definition.address }

  /// The number of the next socket, in the order in which they are acquired.
  func nextSocket() -> UInt64 {
    lastSocket.contents += 1
    return lastSocket.contents
  }

  var mtu: Int { device.definition.link.mtu }
}

struct AccessOptions: Sendable {
  var offset = 0
  var type: String?

  /// Parses `a{sv}`; nil for an option of the wrong type. Unknown options are ignored.
  init?(_ options: PropertyMap) {
    for (key, value) in options.entries {
      switch key.lowercased() {
      case "offset":
        guard let offset = value.asUInt16 else { return nil }
        self.offset = Int(offset)
      case "type":
        guard let type = value.asString else { return nil }
        self.type = type
      default: continue
      }
    }
  }
}
