// What a host's kernel knows of its controllers and bluetoothd does not tell.

/// One controller of this host.
public struct AdapterDetails: Hashable, Sendable {
  /// `hci0`
  public let name: String
  public let address: BluetoothAddress
  /// Who made it, as a company identifier.
  public let manufacturer: UInt16
  /// Its HCI version, as the Bluetooth SIG numbers it: 11 stands for 5.2.
  public let version: UInt8
  /// What it can, in words of the kernel's management interface: `low-energy`, `privacy`.
  public let supported: [String]
  /// What of that is on now.
  public let current: [String]
  /// The first page of its LMP features: eight octets, the first the least significant.
  public let features: [UInt8]

  public init(
    name: String,
    address: BluetoothAddress,
    manufacturer: UInt16,
    version: UInt8,
    supported: [String],
    current: [String],
    features: [UInt8]
  ) {
    self.name = name
    self.address = address
    self.manufacturer = manufacturer
    self.version = version
    self.supported = supported
    self.current = current
    self.features = features
  }

  /// The Bluetooth specification that ``version`` stands for: `5.2`; nil for a younger one.
  ///
  /// - Source: Bluetooth Assigned Numbers §2.1, "Core_Version".
  public var specification: String? {
    let known = [
      "1.0b", "1.1", "1.2", "2.0", "2.1", "3.0", "4.0", "4.1", "4.2", "5.0", "5.1", "5.2", "5.3",
      "5.4", "6.0", "6.1",
    ]
    return known.indices.contains(Int(version)) ? known[Int(version)] : nil
  }
}

/// Tells of the controllers of a host.
public protocol AdapterInspection: Sendable {
  /// Every controller that the kernel has, in order of index, whether it is on or off.
  ///
  /// - Throws: ``DeviceFailure``, of class `unavailable` where this process may not ask; what ends a
  ///   wait.
  /// - Source: BlueZ `doc/mgmt-api.txt`, "Read Controller Information Command".
  func adapters() async throws -> [AdapterDetails]
}
