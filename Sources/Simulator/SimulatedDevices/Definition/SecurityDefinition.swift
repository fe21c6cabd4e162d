// How a simulated device pairs, and what it keeps for those it is paired with.

/// How secure a link is, or has to be.
public enum LinkSecurity: String, CaseIterable, Hashable, Sendable, Comparable {
  /// Without encryption.
  case none
  /// With a key that nobody has vouched for.
  case encrypted
  /// With a key that was made with a passkey or a comparison.
  case authenticated

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  public static func < (left: LinkSecurity, right: LinkSecurity) -> Bool { left.rank < right.rank }
}

/// What an attribute demands of the link.
public struct AttributeSecurity: Hashable, Sendable {
  /// To read it, and to subscribe to it unless that demands something else.
  public var read: LinkSecurity
  /// To write it.
  public var write: LinkSecurity
  /// To subscribe to it; nil: what a read demands.
  public var subscription: LinkSecurity?

  /// What reads and writes demand; without arguments, nothing.
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

/// How a device pairs.
public struct PairingDefinition: Hashable, Sendable {
  /// What the device and its user do. It follows from the input and output that the device has.
  public enum Method: String, CaseIterable, Hashable, Sendable {
    /// Nothing: it has neither display nor keys.
    case justWorks = "just-works"
    /// It shows a number, and its person confirms it.
    case confirm
    /// It shows its passkey, or has it printed on it: the host is to enter it.
    case passkeyEntry = "passkey-entry"
    /// Its person types the passkey that the host shows.
    case passkeyDisplay = "passkey-display"
    /// It refuses.
    case reject
  }

  /// What the device and its user do.
  public var method: Method
  /// Of `passkey-entry`: the device's own. Of the others: what is to be shown, drawn from the seed
  /// when nil. 0 to 999999.
  public var passkey: UInt32?

  /// A way to pair; without arguments, Just Works.
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
