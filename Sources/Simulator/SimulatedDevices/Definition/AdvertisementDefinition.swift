// One advertisement of a simulated device.

public import Bluetooth

/// The contents, the RSSI and the interval of one advertisement.
public struct AdvertisementDefinition: Sendable, Hashable {
  /// Whether the device's name and appearance are included.
  public var includesName: Bool
  /// A name that replaces the device's; nil: the device's, if included.
  public var name: String?
  /// An appearance that replaces the device's; nil: the device's, if its name is included.
  public var appearance: UInt16?
  /// The advertised services.
  public var services: [BluetoothUUID]
  /// The manufacturer data, by company.
  public var manufacturerData: [ManufacturerData]
  /// The service data, by service.
  public var serviceData: [ServiceData]
  /// Changing data, after the constant data.
  var templates: [TemplateData] = []
  /// The values that `templates` may use besides `$uptime`, in milliseconds, and `$sent`, both since the
  /// start.
  var views: [View] = []
  /// The advertised transmission power in dBm; nil: not advertised.
  public var txPower: Int?
  /// The mean RSSI in dBm.
  public var rssi: Int
  /// The random variation of the RSSI to either side, in dB; drawn from the seed.
  public var rssiSpread: Int
  /// The change of the RSSI over time; nil: none.
  public var movement: SignalMovement?
  /// The time between two advertisements.
  public var interval: Duration
  public var isConnectable: Bool
  /// Whether it is an extended advertisement, which may be longer. Hosts receive both in the same way.
  public var isExtended = false

  /// Creates an advertisement; see the properties.
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

/// Manufacturer-specific data.
public struct ManufacturerData: Sendable, Hashable {
  /// The company identifier that the Bluetooth SIG assigned.
  public var company: UInt16
  /// The bytes after the company identifier.
  public var octets: [UInt8]

  /// Creates the data of one company.
  public init(company: UInt16, octets: [UInt8]) {
    self.company = company
    self.octets = octets
  }
}

/// The data of a service.
public struct ServiceData: Sendable, Hashable {
  /// The service that the data belongs to.
  public var service: BluetoothUUID
  /// The bytes after the UUID.
  public var octets: [UInt8]

  /// Creates the data of one service.
  public init(service: BluetoothUUID, octets: [UInt8]) {
    self.service = service
    self.octets = octets
  }
}

/// Advertised data that is generated each time it is sent.
struct TemplateData: Sendable, Hashable {
  /// The company or service that the data belongs to.
  enum Field: Sendable, Hashable {
    case manufacturer(UInt16)
    case service(BluetoothUUID)
  }

  let field: Field
  /// The bytes, which may use values of the device.
  let value: ValueTemplate
}

/// The RSSI of a device, and its change over time.
struct AdvertisedSignal: Sendable, Hashable {
  /// The RSSI in dBm.
  var rssi = -60
  var movement: SignalMovement?
}

extension AdvertisementDefinition {
  /// The advertised name of a device; nil: none.
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

/// An advertisement of a device as a scanning host receives it.
public struct AdvertisedData: Sendable, Hashable {
  /// The name; nil if it is not sent.
  public let name: String?
  /// The appearance; nil if it is not sent.
  public let appearance: UInt16?
  /// The services, in the order of sending.
  public let services: [BluetoothUUID]
  /// The manufacturer data, by company.
  public let manufacturerData: [ManufacturerData]
  /// The service data, by service.
  public let serviceData: [ServiceData]
  /// The TX power in dBm; nil if it is not advertised.
  public let txPower: Int?
  /// The Flags: LE General Discoverable and BR/EDR Not Supported; 0 where none are sent.
  public let flags: UInt8
  /// The RSSI, in dBm.
  public let rssi: Int
}
