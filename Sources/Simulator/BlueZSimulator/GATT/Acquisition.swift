// The state of an acquired characteristic.
//
// Pure: CharacteristicServer creates the sockets and answers the calls.

import BlueZInterfaces

/// The state of an AcquireNotify or an AcquireWrite.
enum Acquisition: Hashable, Sendable {
  case free
  /// A client's AcquireNotify waits for the device's response; the property is already true.
  case pending(Caller)
  /// A client holds the socket.
  case held
  /// No client holds the socket, and none can acquire it: bluetoothd only releases a characteristic
  /// for which it created a socket. This lasts across connections until the object is removed.
  ///
  /// - Source: recorded from bluetoothd 5.66, where the device refused, the link ended or the client
  ///   left meanwhile, or no descriptor was left; `src/gatt-client.c` (register_notify_io_cb,
  ///   create_sock). From 5.84 on only the last leaves it so.
  case stuck

  /// A call, identified by client and serial.
  struct Caller: Hashable, Sendable {
    let client: String
    let serial: UInt32
  }

  /// The value of the property.
  var isAcquired: Bool { self != .free }

  /// Applies that a client left the bus.
  mutating func clientLeft(_ client: String, isAnswered: Bool) {
    guard case .pending(let caller) = self, caller.client == client else { return }
    if !isAnswered { self = .stuck }
  }

  /// Applies that the device refused the request of a call, or the connection ended.
  ///
  /// - Parameter isAnswered: Whether the release answers such a call, and frees the characteristic.
  ///
  /// - Returns: True if the call gets a reply.
  mutating func failed(_ caller: Caller, isAnswered: Bool) -> Bool {
    guard self == .pending(caller) else { return false }
    self = isAnswered ? .free : .stuck
    return isAnswered
  }
}

extension ErrorAnswer {
  /// - Source: recorded from bluetoothd 5.66 at its limit of descriptors.
  static let noDescriptors = failed("Too many open files")
}
