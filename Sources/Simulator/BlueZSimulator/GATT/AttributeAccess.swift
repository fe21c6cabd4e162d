// Connects the exported attributes to their device.

import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// The request queue and link state that an exported attribute uses.
struct AttributeAccess: Sendable {
  let host: Host
  let device: SimulatedDevice
  let queue: RequestQueue
  let pace: PacedLink
  /// Raises the security of the connection after a refusal; true if the client is not told of the
  /// refusal.
  let secure: @Sendable (ATTErrorCode, WaitingCall) -> Bool
  let link: @Sendable () -> LinkView
  /// The number of the last acquired socket.
  let lastSocket: Confined<UInt64>

  /// The state of the link that matters for attributes.
  struct LinkView: Sendable {
    let isConnected: Bool
    /// Disconnect was called.
    let isClosing: Bool
  }

  var address: BluetoothAddress { device.definition.address }

  /// The number of the next socket to be acquired.
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
