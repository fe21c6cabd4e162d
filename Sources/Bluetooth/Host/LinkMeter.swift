// The port to what a host measures of a link: who measures is not this module's business.

/// A link of this host.
public struct LinkIdentity: Hashable, Sendable {
  /// The adapter that holds it: `hci0`.
  public let adapter: String
  /// The device at the other end.
  public let address: BluetoothAddress

  public init(adapter: String, address: BluetoothAddress) {
    self.adapter = adapter
    self.address = address
  }
}

/// How strong a link is, as its controller measures it.
public struct LinkStrength: Hashable, Sendable {
  /// The strength in dBm with which the device is received.
  public let rssi: Int
  /// The power in dBm with which this host transmits; nil when its controller does not tell.
  public let txPower: Int?

  public init(rssi: Int, txPower: Int?) {
    self.rssi = rssi
    self.txPower = txPower
  }
}

/// Measures live links. BlueZ's D-Bus interface has no such thing.
public protocol LinkMeter: Sendable {
  /// Measures a link now. It changes nothing, so every failure of class `passing` may be retried.
  ///
  /// - Throws: ``DeviceFailure``, without a device: `not-connected` when there is no such link,
  ///   ``DeviceFailure/Code/capabilityMissing`` and ``DeviceFailure/Code/socketsMissing`` when this
  ///   process may not ask; what ends a wait.
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.5.4 (Read RSSI), §7.3.35 (Read Transmit Power
  ///   Level).
  func strength(of link: LinkIdentity) async throws -> LinkStrength

  /// The timing that was last agreed on for a link.
  ///
  /// - Throws: ``DeviceFailure``, without a device: `not-connected` when there is no such link,
  ///   ``DeviceFailure/Code/timingUnknown`` when nobody has listened as it was agreed on; what ends
  ///   a wait.
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.7.65 (LE Connection Complete, LE Connection
  ///   Update Complete): a controller tells it then, and cannot be asked later.
  func parameters(of link: LinkIdentity) async throws -> ConnectionParameters
}
