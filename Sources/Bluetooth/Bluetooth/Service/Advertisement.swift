// A device as its advertisements and bluetoothd describe it.

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
  /// The RSSI in dBm; nil when the device is out of range. -127, the weakest, when the
  /// controller does not know it.
  public let rssi: Int?
  /// The TX power in dBm, as advertised.
  public let txPower: Int?
  /// The Appearance that the device advertises; nil without one.
  public let appearance: UInt16?
  /// The services that bluetoothd reports: once it has read those of the device, these; before, the
  /// advertised ones.
  public let services: [BluetoothUUID]
  /// The services that the device advertises; nil when they are not known, because bluetoothd had
  /// read those of the device before this program received an advertisement.
  public let advertisedServices: [BluetoothUUID]?
  /// The manufacturer data, by company.
  public let manufacturerData: [(company: UInt16, data: [UInt8])]
  /// The service data, by service.
  public let serviceData: [(service: BluetoothUUID, data: [UInt8])]
  /// Whether the device is connected to this host.
  public let isConnected: Bool
  /// Whether the device is paired with this host.
  public let isPaired: Bool
  /// The adapter that found the device: `hci0`.
  public let adapter: String
  /// Decrypted service data, by service; see ``opened(with:)``.
  var readings: [BluetoothUUID: AdvertisedReading] = [:]
  /// Data that a user describes, by service and by company; see ``described(by:)``.
  var describedServices: [BluetoothUUID: AdvertisedFormat] = [:]
  var describedCompanies: [UInt16: AdvertisedFormat] = [:]

  /// A device as last seen; see the properties. Omitted arguments are unknown, or not there.
  public init(
    address: BluetoothAddress, addressType: AddressType, name: String?, alias: String, rssi: Int?,
    txPower: Int? = nil, appearance: UInt16? = nil, services: [BluetoothUUID] = [],
    advertisedServices: [BluetoothUUID]? = nil,
    manufacturerData: [(company: UInt16, data: [UInt8])] = [],
    serviceData: [(service: BluetoothUUID, data: [UInt8])] = [], isConnected: Bool = false,
    isPaired: Bool = false, adapter: String
  ) {
    self.address = address
    self.addressType = addressType
    self.name = name
    self.alias = alias
    self.rssi = rssi
    self.txPower = txPower
    self.appearance = appearance
    self.services = services
    self.advertisedServices = advertisedServices
    self.manufacturerData = manufacturerData
    self.serviceData = serviceData
    self.isConnected = isConnected
    self.isPaired = isPaired
    self.adapter = adapter
  }

  /// Whether the device may change the address under which it is known here: a private one, without
  /// a bond to resolve it.
  package var changesAddress: Bool { !isPaired && !address.isIdentity(addressType) }

  /// The advertised data as upper-case hexadecimal digits, as in a packet: services, name, TX power,
  /// service data, manufacturer data.
  ///
  /// bluetoothd reports the parts, not the packet. So their order is fixed here, flags and appearance
  /// are missing, and so are the services if ``advertisedServices`` is nil.
  ///
  /// - Source: Bluetooth Core Specification Supplement 11, Part A §1; types: Assigned Numbers §2.3.
  package var packetText: String {
    let services = advertisedServices ?? []
    var all: [UInt8] = []
    func add(_ type: UInt8, _ data: [UInt8]) {
      guard !data.isEmpty, data.count < 255 else { return }
      all += [UInt8(data.count + 1), type] + data
    }
    add(0x03, services.filter { $0.short != nil }.flatMap(\.airOctets))
    add(0x07, services.filter { $0.short == nil }.flatMap(\.airOctets))
    add(0x09, Array((name ?? "").utf8))
    if let power = txPower.flatMap({ Int8(exactly: $0) }) { add(0x0a, [UInt8(bitPattern: power)]) }
    for (service, data) in serviceData {
      add(service.short == nil ? 0x21 : 0x16, service.airOctets + data)
    }
    for (company, data) in manufacturerData {
      add(0xff, [UInt8(company & 0xff), UInt8(company >> 8)] + data)
    }
    return DecodedValue.octets(all).description.uppercased()
  }

  /// Whether all fields are equal, and the data in the same order.
  public static func == (a: Advertisement, b: Advertisement) -> Bool {
    a.address == b.address && a.addressType == b.addressType && a.name == b.name
      && a.alias == b.alias && a.rssi == b.rssi && a.txPower == b.txPower
      && a.appearance == b.appearance && a.services == b.services
      && a.advertisedServices == b.advertisedServices
      && a.manufacturerData.elementsEqual(b.manufacturerData, by: ==)
      && a.serviceData.elementsEqual(b.serviceData, by: ==)
      && a.isConnected == b.isConnected && a.isPaired == b.isPaired && a.adapter == b.adapter
      && a.readings == b.readings && a.describedServices == b.describedServices
      && a.describedCompanies == b.describedCompanies
  }
}
