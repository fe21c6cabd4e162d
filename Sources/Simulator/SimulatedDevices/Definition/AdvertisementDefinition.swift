// One advertisement of a simulated device.

public import Bluetooth

/// The contents, the RSSI and the interval of one advertisement.
public struct AdvertisementDefinition: Sendable, Hashable {
  /// Whether the device's name and appearance are in it.
  public var includesName: Bool
  /// A name in place of the device's; nil: the device's, if it is in it.
  public var name: String?
  /// An appearance in place of the device's; nil: the device's, if its name is in it.
  public var appearance: UInt16?
  /// The advertised services.
  public var services: [BluetoothUUID]
  /// The manufacturer data, by company.
  public var manufacturerData: [ManufacturerData]
  /// The service data, by service.
  public var serviceData: [ServiceData]
  /// Data that changes, after the data that stays.
  var live: [LiveData] = []
  /// What `live` may name beside `$uptime`, in milliseconds, and `$sent`, both since the start.
  var views: [View] = []
  /// The advertised transmission power in dBm; nil: not advertised.
  public var txPower: Int?
  /// The mean RSSI in dBm at which it is received.
  public var rssi: Int
  /// How far the RSSI varies to either side, in dB; drawn from the seed.
  public var rssiSpread: Int
  /// How the RSSI changes over time; nil: it does not.
  public var movement: SignalMovement?
  /// The time between two advertisements.
  public var interval: Duration
  /// Whether it accepts connections.
  public var isConnectable: Bool
  /// Whether it is an extended advertisement, which may be longer. Hosts receive both in the same way.
  public var isExtended = false

  /// What a device advertises; see the properties.
  public init(
    includesName: Bool = true, services: [BluetoothUUID] = [],
    manufacturerData: [ManufacturerData] = [], serviceData: [ServiceData] = [], txPower: Int? = nil,
    rssi: Int = -60, rssiSpread: Int = 4, movement: SignalMovement? = nil,
    interval: Duration = .milliseconds(100), isConnectable: Bool = true
  ) {
    self.includesName = includesName
    self.services = services
    self.manufacturerData = manufacturerData
    self.serviceData = serviceData
    self.txPower = txPower
    self.rssi = rssi
    self.rssiSpread = rssiSpread
    self.movement = movement
    self.interval = interval
    self.isConnectable = isConnectable
  }
}

/// What a manufacturer advertises in a format of its own.
public struct ManufacturerData: Sendable, Hashable {
  /// The company identifier that the Bluetooth SIG assigned.
  public var company: UInt16
  /// The bytes after the company identifier.
  public var octets: [UInt8]

  /// Manufacturer data of one company.
  public init(company: UInt16, octets: [UInt8]) {
    self.company = company
    self.octets = octets
  }
}

/// What a service advertises.
public struct ServiceData: Sendable, Hashable {
  /// The service that the data belongs to.
  public var service: BluetoothUUID
  /// The bytes after the UUID.
  public var octets: [UInt8]

  /// The data of one service.
  public init(service: BluetoothUUID, octets: [UInt8]) {
    self.service = service
    self.octets = octets
  }
}

/// Advertised data that is made anew each time it is sent.
struct LiveData: Sendable, Hashable {
  /// Whose data it is.
  enum Field: Sendable, Hashable {
    case manufacturer(UInt16)
    case service(BluetoothUUID)
  }

  let field: Field
  /// How its bytes are made of values of the device.
  let value: ValueTemplate
}

/// How strongly a device is received: its RSSI, and how that moves.
struct AdvertisedSignal: Sendable, Hashable {
  /// In dBm.
  var rssi = -60
  var movement: SignalMovement?
}

extension AdvertisementDefinition {
  /// The name that a device sends with it; nil: none.
  public func name(of device: DeviceDefinition) -> String? {
    name ?? (includesName ? device.name : nil)
  }

  /// The appearance that a device sends with it; nil: none.
  func appearance(of device: DeviceDefinition) -> UInt16? {
    appearance ?? (includesName ? device.appearance : nil)
  }

  var signal: AdvertisedSignal {
    get { AdvertisedSignal(rssi: rssi, movement: movement) }
    set { (rssi, movement) = (newValue.rssi, newValue.movement) }
  }
}

/// What a scanning host receives from a device at one moment.
public struct AdvertisedData: Sendable, Hashable {
  /// The name; nil when it is not sent.
  public let name: String?
  /// The appearance; nil when it is not sent.
  public let appearance: UInt16?
  /// The services, in the order of sending.
  public let services: [BluetoothUUID]
  /// The manufacturer data, by company.
  public let manufacturerData: [ManufacturerData]
  /// The service data, by service.
  public let serviceData: [ServiceData]
  /// In dBm; nil: not advertised.
  public let txPower: Int?
  /// The RSSI, in dBm.
  public let rssi: Int
}
