// The pairing of a simulated device, and the security that its attributes require.

public import Bluetooth

/// A level of link security.
public enum LinkSecurity: String, CaseIterable, Hashable, Sendable, Comparable {
  /// Without encryption.
  case none
  /// Encrypted with an unauthenticated key.
  case encrypted
  /// Encrypted with a key from a passkey or a comparison.
  case authenticated

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  public static func < (left: LinkSecurity, right: LinkSecurity) -> Bool { left.rank < right.rank }
}

/// The link security that an attribute requires.
public struct AttributeSecurity: Hashable, Sendable {
  /// For reads, and for subscriptions unless ``subscription`` is set.
  public var read: LinkSecurity
  /// For writes.
  public var write: LinkSecurity
  /// For subscriptions; nil: as for reads.
  public var subscription: LinkSecurity?

  /// Creates requirements; by default, none.
  ///
  /// ```swift
  /// let protected = CharacteristicDefinition(
  ///   uuid: BluetoothUUID(short: 0x2a19), properties: [.read],
  ///   security: AttributeSecurity(read: .authenticated))
  /// ```
  public init(read: LinkSecurity = .none, write: LinkSecurity = .none) {
    self.read = read
    self.write = write
  }
}

/// The pairing of a device.
public struct PairingDefinition: Hashable, Sendable {
  /// The actions of the device and its user, which depend on the device's input and output.
  public enum Method: String, CaseIterable, Hashable, Sendable {
    /// No action: the device has neither display nor keys.
    case justWorks = "just-works"
    /// The device displays a number, and its user confirms it.
    case confirm
    /// The device displays its passkey, or has it printed on it; the user enters it on the host.
    case passkeyEntry = "passkey-entry"
    /// The user enters the passkey that the host displays on the device.
    case passkeyDisplay = "passkey-display"
    /// The device refuses to pair.
    case reject
  }

  /// The actions of the device and its user.
  public var method: Method
  /// For `passkey-entry`, the device's own passkey; otherwise the number to display, drawn from the
  /// seed if nil. 0 to 999999.
  public var passkey: UInt32?
  /// The request for security that the device sends by itself; nil: none.
  public var request: SecurityRequest?

  /// Creates a pairing; by default, Just Works.
  ///
  /// ```swift
  /// var lock = DeviceDefinition(name: "Lock", address: BluetoothAddress(number: 0xc0ff_ee00_0053))
  /// lock.pairing = PairingDefinition(.passkeyDisplay, passkey: 123_456)
  /// ```
  public init(
    _ method: Method = .justWorks, passkey: UInt32? = nil, request: SecurityRequest? = nil
  ) {
    self.method = method
    self.passkey = passkey
    self.request = request
  }
}

/// The moments at which a device sends a Security Request, which asks the host to pair, or to
/// encrypt the connection with the key of the bond.
///
/// It is sent at each such moment, as long as the connection is not encrypted.
///
/// - Source: Bluetooth Core 5.4, Vol 3, Part H §2.4.6 (Slave Security Request).
public struct SecurityRequest: Hashable, Sendable {
  /// An event at the device that precedes the request.
  public enum Moment: String, CaseIterable, Hashable, Sendable {
    /// A host connected.
    case connected
    /// A value was read.
    case read
    /// A value was written.
    case written
    /// Notifications or indications were enabled.
    case subscribed

    /// True if the event concerns a characteristic.
    var hasCharacteristic: Bool { self != .connected }
  }

  /// The event that precedes it.
  public var moment: Moment
  /// The characteristic of the event; nil: any.
  public var characteristic: CharacteristicSelector?
  /// The time from the event to the request.
  public var delay: Duration
  /// The time after which the device disconnects if the connection is not encrypted by then; nil: it
  /// does not.
  public var disconnectDelay: Duration?

  /// Creates a request; see the properties.
  ///
  /// ```swift
  /// let request = SecurityRequest(.subscribed, disconnectingAfter: .seconds(5))
  /// let cuff = PairingDefinition(request: request)
  /// ```
  public init(
    _ moment: Moment, characteristic: CharacteristicSelector? = nil, after delay: Duration = .zero,
    disconnectingAfter disconnectDelay: Duration? = nil
  ) {
    self.moment = moment
    self.characteristic = characteristic
    self.delay = delay
    self.disconnectDelay = disconnectDelay
  }
}
