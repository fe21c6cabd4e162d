// Facts about a controller that the kernel reports and bluetoothd does not.

/// One controller of this host.
public struct AdapterDetails: Hashable, Sendable {
  /// `hci0`
  public let name: String
  /// The address of the adapter.
  public let address: BluetoothAddress
  /// The manufacturer, as a company identifier.
  public let manufacturer: UInt16
  /// The HCI version, as assigned by the Bluetooth SIG: 11 means 5.2.
  public let version: UInt8
  /// The supported settings, as the kernel's management interface names them: `low-energy`,
  /// `privacy`.
  public let supported: [String]
  /// The settings that are on now.
  public let current: [String]
  /// The first page of the LMP features: eight octets, least significant first.
  public let features: [UInt8]

  /// Details of an adapter, as the kernel reports them.
  public init(
    name: String, address: BluetoothAddress, manufacturer: UInt16, version: UInt8,
    supported: [String], current: [String], features: [UInt8]
  ) {
    self.name = name
    self.address = address
    self.manufacturer = manufacturer
    self.version = version
    self.supported = supported
    self.current = current
    self.features = features
  }

  /// The Bluetooth specification for ``version``: `5.2`; nil for a newer one.
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

/// Reports the controllers of a host.
public protocol AdapterInspection: Sendable {
  /// Every controller of the kernel, in order of index, on or off.
  ///
  /// - Throws: ``DeviceFailure``, of class `unavailable` when this process lacks permission; the
  ///   errors of a wait.
  /// - Source: BlueZ `doc/mgmt-api.txt`, "Read Controller Information Command".
  func adapters() async throws -> [AdapterDetails]
}
