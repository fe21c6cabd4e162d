// Failures of the connection to a bus. Error replies of other programs are DBusError.

/// A failure to make or use a connection to a bus.
public enum BusFailure: Error, Hashable, Sendable {
  /// The connection has ended. Every pending and later call fails with this.
  case closed(address: String, reason: String)
  /// There is no bus at the address, or it does not respond as one.
  case unreachable(address: String, reason: String)
  /// The bus is running, but refuses this user.
  case notPermitted(address: String, reason: String)
  /// Too many calls wait for their replies.
  case callTableFull
  /// Too many messages or bytes wait to be written.
  case sendQueueFull
  /// A reply was refused because it exceeds the limits on received messages.
  case messageTooLarge(reason: String)
  /// The connection cannot pass file descriptors.
  case cannotPassDescriptors(address: String)
}

extension BusFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .closed(let address, let reason): "the connection to the bus \(address) ended: \(reason)"
    case .unreachable(let address, let reason): "no bus can be reached at \(address): \(reason)"
    case .notPermitted(let address, let reason):
      "the bus at \(address) refuses this user: \(reason)"
    case .callTableFull: "too many calls wait for a reply from the bus"
    case .sendQueueFull: "too much waits to be sent to the bus"
    case .messageTooLarge(let reason): "the message was refused: \(reason)"
    case .cannotPassDescriptors(let address):
      "the connection to the bus \(address) cannot pass file descriptors"
    }
  }
}
