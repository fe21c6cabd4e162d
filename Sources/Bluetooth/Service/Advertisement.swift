// What is known of a device without a connection.

/// A device as last seen.
public struct Advertisement: Sendable, Equatable {
  /// The address that the device was seen under.
  public let address: BluetoothAddress
  /// Whether the address is public or random.
  public let addressType: AddressType
  /// The name that the device gives itself.
  public let name: String?
  /// The name of the device on this host.
  public let alias: String
  /// In dBm; nil when the device is out of range.
  public let rssi: Int?
  /// In dBm, as advertised.
  public let txPower: Int?
  public let services: [BluetoothUUID]
  public let manufacturerData: [(company: UInt16, data: [UInt8])]
  public let serviceData: [(service: BluetoothUUID, data: [UInt8])]
  public let isConnected: Bool
  public let isPaired: Bool
  /// The adapter that found the device: `hci0`.
  public let adapter: String

  /// What is known of a device; see the properties.
  public init(
    address: BluetoothAddress,
    addressType: AddressType,
    name: String?,
    alias: String,
    rssi: Int?,
    txPower: Int?,
    services: [BluetoothUUID],
    manufacturerData: [(company: UInt16, data: [UInt8])],
    serviceData: [(service: BluetoothUUID, data: [UInt8])],
    isConnected: Bool,
    isPaired: Bool,
    adapter: String
  ) {
    self.address = address
    self.addressType = addressType
    self.name = name
    self.alias = alias
    self.rssi = rssi
    self.txPower = txPower
    self.services = services
    self.manufacturerData = manufacturerData
    self.serviceData = serviceData
    self.isConnected = isConnected
    self.isPaired = isPaired
    self.adapter = adapter
  }

  public static func == (a: Advertisement, b: Advertisement) -> Bool {
    a.address == b.address && a.addressType == b.addressType && a.name == b.name
      && a.alias == b.alias && a.rssi == b.rssi && a.txPower == b.txPower
      && a.services == b.services
      && a.manufacturerData.elementsEqual(b.manufacturerData, by: ==)
      && a.serviceData.elementsEqual(b.serviceData, by: ==)
      && a.isConnected == b.isConnected && a.isPaired == b.isPaired && a.adapter == b.adapter
  }
}
