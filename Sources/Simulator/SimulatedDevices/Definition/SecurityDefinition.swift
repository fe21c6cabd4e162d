// The pairing of a simulated device, and the security that its attributes require.

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

  /// Creates a pairing; by default, Just Works.
  ///
  /// ```swift
  /// var lock = DeviceDefinition(name: "Lock", address: BluetoothAddress(number: 0xc0ff_ee00_0053))
  /// lock.pairing = PairingDefinition(.passkeyDisplay, passkey: 123_456)
  /// ```
  public init(_ method: Method = .justWorks, passkey: UInt32? = nil) {
    self.method = method
    self.passkey = passkey
  }
}
