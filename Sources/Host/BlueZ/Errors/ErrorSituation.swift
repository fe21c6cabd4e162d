// The situation in which an error reply arrived: the same error has different meanings.

/// The kind of call, and what is known of the adapter and the connection.
struct ErrorSituation: Equatable, Sendable {
  /// The kind of call.
  enum Call: Equatable, Sendable {
    case connect
    case disconnect
    case discovery
    case read
    case write
    case notify
    case pair
    case acquireNotify
    case acquireWrite
    /// Reading objects and properties.
    case objects
  }

  var call: Call
  /// The connection was down when the reply arrived.
  var isLinkDown = false
  /// The last connection was ended by a Disconnect of this program.
  var wasDisconnected = false
  /// The adapter was off when the reply arrived.
  var isAdapterOff = false
  /// The device had no bond when the reply arrived, or was unknown to bluetoothd.
  var isUnpaired = false
  /// The device was unknown to bluetoothd when the reply arrived, or when the call failed without
  /// one.
  var isForgotten = false
  /// A writer of this program has acquired the characteristic.
  var isWriteAcquiredLocally = false

  init(
    _ call: Call, isLinkDown: Bool = false, isAdapterOff: Bool = false, isUnpaired: Bool = false,
    isForgotten: Bool = false
  ) {
    self.call = call
    self.isLinkDown = isLinkDown
    self.isAdapterOff = isAdapterOff
    self.isUnpaired = isUnpaired
    self.isForgotten = isForgotten
  }

  /// Whether the call was about an attribute of a connected device.
  var isGATT: Bool {
    switch call {
    case .read, .write, .notify, .acquireNotify, .acquireWrite: true
    case .connect, .disconnect, .discovery, .pair, .objects: false
    }
  }
}
