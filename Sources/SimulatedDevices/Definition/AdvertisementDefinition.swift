// What a simulated device says to everybody.

public import Bluetooth

/// The contents and the strength of a device's advertisements.
public struct AdvertisementDefinition: Sendable, Hashable {
  public var services: [BluetoothUUID]
  public var manufacturerData: [ManufacturerData]
  public var serviceData: [ServiceData]
  /// The advertised transmission power in dBm; nil: not advertised.
  public var txPower: Int?
  /// The strength in dBm with which it is heard, on average.
  public var rssi: Int
  /// By how many dBm the strength strays to either side, drawn from the seed.
  public var rssiSpread: Int
  /// The time between two advertisements.
  public var interval: Duration
  /// Whether it can be found by a scan.
  public var isDiscoverable: Bool
  /// Whether it accepts connections.
  public var isConnectable: Bool

  public init(
    services: [BluetoothUUID] = [],
    manufacturerData: [ManufacturerData] = [],
    serviceData: [ServiceData] = [],
    txPower: Int? = nil,
    rssi: Int = -60,
    rssiSpread: Int = 4,
    interval: Duration = .milliseconds(100),
    isDiscoverable: Bool = true,
    isConnectable: Bool = true
  ) {
    self.services = services
    self.manufacturerData = manufacturerData
    self.serviceData = serviceData
    self.txPower = txPower
    self.rssi = rssi
    self.rssiSpread = rssiSpread
    self.interval = interval
    self.isDiscoverable = isDiscoverable
    self.isConnectable = isConnectable
  }
}

/// What a manufacturer advertises in a format of its own.
public struct ManufacturerData: Sendable, Hashable {
  /// The company identifier that the Bluetooth SIG assigned.
  public var company: UInt16
  public var octets: [UInt8]

  public init(company: UInt16, octets: [UInt8]) {
    self.company = company
    self.octets = octets
  }
}

/// What a service advertises.
public struct ServiceData: Sendable, Hashable {
  public var service: BluetoothUUID
  public var octets: [UInt8]

  public init(service: BluetoothUUID, octets: [UInt8]) {
    self.service = service
    self.octets = octets
  }
}
