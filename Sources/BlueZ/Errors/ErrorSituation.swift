// What was being done when an error answer came: the same answer means different things.

/// The kind of call that was answered, and what is known of the adapter and the link.
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
    /// Asking for objects and properties.
    case objects
  }

  var call: Call
  /// The link was seen to be down when the answer came.
  var isLinkDown = false
  /// The last link was ended by a Disconnect of this program's.
  var wasDisconnected = false
  /// The adapter was seen to be off when the answer came.
  var isAdapterOff = false
  /// The device had no bond when the answer came, or none of bluetoothd's devices was it.
  var isUnpaired = false
  /// bluetoothd no longer knew the device when the answer came, or when it failed to.
  var isForgotten = false
  /// A writer of this program's has acquired the characteristic.
  var isWriterHere = false

  init(
    _ call: Call,
    isLinkDown: Bool = false,
    isAdapterOff: Bool = false,
    isUnpaired: Bool = false,
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
