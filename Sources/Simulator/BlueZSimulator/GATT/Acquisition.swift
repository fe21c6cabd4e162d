// Which client has acquired a characteristic, or is about to.
//
// Pure. CharacteristicServer creates the sockets and answers the calls.

import BlueZInterfaces

/// The state of an AcquireNotify or an AcquireWrite.
enum Acquisition: Hashable, Sendable {
  case free
  /// The device has not responded to a client's AcquireNotify yet; the property is already true.
  case pending(Caller)
  /// A client has the socket.
  case held
  /// No client has it, and none can: bluetoothd releases only a characteristic that it created a
  /// socket for. It stays so after disconnections, until the object is removed.
  ///
  /// - Source: recorded from bluetoothd 5.66, where the device refused, the link ended or the client
  ///   left meanwhile, or no descriptor was left; `src/gatt-client.c` (register_notify_io_cb,
  ///   create_sock). From 5.84 on only the last leaves it so.
  case stuck

  /// A call, by who made it.
  struct Caller: Hashable, Sendable {
    let client: String
    let serial: UInt32
  }

  /// The value of the property.
  var isTaken: Bool { self != .free }

  /// A client has left the bus.
  mutating func clientLeft(_ client: String, _ version: BlueZVersion) {
    guard case .pending(let caller) = self, caller.client == client else { return }
    if version < .acquireFailures { self = .stuck }
  }

  /// The device has refused the request of a call, or the connection has ended.
  ///
  /// - Returns: Whether the call is answered.
  mutating func failed(_ caller: Caller, _ version: BlueZVersion) -> Bool {
    guard self == .pending(caller) else { return false }
    self = version < .acquireFailures ? .stuck : .free
    return self == .free
  }
}

extension ErrorAnswer {
  /// - Source: recorded from bluetoothd 5.66 at its limit of descriptors.
  static let noDescriptors = failed("Too many open files")
}

extension BlueZVersion {
  /// The first release in which `AcquireNotify` is answered when the device refuses it, and leaves
  /// nothing behind.
  fileprivate static let acquireFailures = BlueZVersion(5, 84)
}
