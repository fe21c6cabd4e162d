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
    /// Asking for objects and properties.
    case objects
  }

  var call: Call
  /// The link was seen to be down when the answer came.
  var isLinkDown = false
  /// The adapter was seen to be off when the answer came.
  var isAdapterOff = false
  /// The device had no bond when the answer came, or none of bluetoothd's devices was it.
  var isUnpaired = false

  init(
    _ call: Call,
    isLinkDown: Bool = false,
    isAdapterOff: Bool = false,
    isUnpaired: Bool = false
  ) {
    self.call = call
    self.isLinkDown = isLinkDown
    self.isAdapterOff = isAdapterOff
    self.isUnpaired = isUnpaired
  }

  /// Whether the call was about an attribute of a connected device.
  var isGATT: Bool { call == .read || call == .write || call == .notify }
}
