// What bluetoothd knows of a device beside its link.
//
// A pure value: advertisements in, names of changed properties out.

import BlueZInterfaces
import Bluetooth
import DBus
import SimulatedDevices

/// The properties of a device that are not its link's.
struct KnownDevice: Sendable {
  let address: BluetoothAddress
  let addressType: AddressType
  private(set) var name: String?
  private(set) var appearance: UInt16?
  /// Advertised ones in the order they were heard, then those that were found.
  private(set) var services: [BluetoothUUID] = []
  private(set) var manufacturerData: [ManufacturerData] = []
  private(set) var serviceData: [ServiceData] = []
  private(set) var txPower: Int?
  /// nil while nobody discovers.
  private(set) var rssi: Int?
  var alias: String?
  var isPaired = false
  var isTrusted = false
  var isBlocked = false
  /// Found by discovery alone: it is forgotten some time after it was last heard.
  var isTemporary = true

  init(_ definition: DeviceDefinition) {
    address = definition.address
    addressType = definition.addressType
  }

  /// What `Alias` says: the given one, the name, or the address.
  var shownAlias: String {
    alias ?? name ?? String(address.description.map { $0 == ":" ? "-" : $0 })
  }

  /// An advertisement was heard.
  ///
  /// - Parameters:
  ///   - tellsAll: Whether unchanged data is told too.
  ///   - threshold: The smallest change of strength that is told, in dB.
  /// - Returns: The properties to tell of.
  mutating func heard(_ data: AdvertisedData, tellsAll: Bool, threshold: Int) -> [String] {
    var changed: [String] = []
    if data.name != name, data.name != nil {
      name = data.name
      changed.append(Device1.Property.name)
      if alias == nil { changed.append(Device1.Property.alias) }
    }
    if data.appearance != appearance, data.appearance != nil {
      appearance = data.appearance
      changed.append(Device1.Property.appearance)
    }
    if rssi.map({ abs($0 - data.rssi) >= threshold }) ?? true {
      rssi = data.rssi
      changed.append(Device1.Property.rssi)
    }
    let added = data.services.filter { !services.contains($0) }
    if !added.isEmpty {
      services += added
      changed.append(Device1.Property.uuids)
    }
    if tellsAll ? !data.manufacturerData.isEmpty : data.manufacturerData != manufacturerData {
      changed.append(Device1.Property.manufacturerData)
    }
    manufacturerData = data.manufacturerData
    if tellsAll ? !data.serviceData.isEmpty : data.serviceData != serviceData {
      changed.append(Device1.Property.serviceData)
    }
    serviceData = data.serviceData
    if data.txPower != txPower {
      txPower = data.txPower
      changed.append(Device1.Property.txPower)
    }
    return changed
  }

  /// Nobody discovers any more.
  ///
  /// - Returns: The properties to tell of.
  mutating func unheard() -> [String] {
    let gone = [
      txPower.map { _ in Device1.Property.txPower }, rssi.map { _ in Device1.Property.rssi },
    ]
    rssi = nil
    txPower = nil
    return gone.compactMap { $0 }
  }

  /// The services of the device are known now.
  ///
  /// - Returns: Whether that changed anything.
  mutating func found(_ all: [BluetoothUUID]) -> Bool {
    let merged = (services + all.filter { !services.contains($0) }).sorted()
    defer { services = merged }
    return merged != services
  }

  /// The value of a property; nil when it does not exist now, or is the link's.
  func value(of property: String) -> DBusValue? {
    switch property {
    case Device1.Property.address: .string("\(address)")
    case Device1.Property.addressType: .string(addressType.rawValue)
    case Device1.Property.name: name.map { .string($0) }
    case Device1.Property.alias: .string(shownAlias)
    case Device1.Property.appearance: appearance.map { .uint16($0) }
    case Device1.Property.paired, Device1.Property.bonded: .boolean(isPaired)
    case Device1.Property.trusted: .boolean(isTrusted)
    case Device1.Property.blocked: .boolean(isBlocked)
    case Device1.Property.legacyPairing: .boolean(false)
    case Device1.Property.rssi: rssi.map { .int16(Int16($0)) }
    case Device1.Property.uuids: .strings(services.map(\.text))
    case Device1.Property.manufacturerData: Self.dictionary(manufacturerData)
    case Device1.Property.serviceData: Self.dictionary(serviceData)
    case Device1.Property.txPower: txPower.map { .int16(Int16($0)) }
    default: nil
    }
  }

  /// `a{qv}`
  private static func dictionary(_ data: [ManufacturerData]) -> DBusValue? {
    guard !data.isEmpty else { return nil }
    return try? .dictionary(
      key: "q",
      value: "v",
      data.map { (.uint16($0.company), .variant(of: .bytes($0.octets))) }
    )
  }

  /// `a{sv}`
  private static func dictionary(_ data: [ServiceData]) -> DBusValue? {
    guard !data.isEmpty else { return nil }
    return .properties(PropertyMap(data.map { ($0.service.text, .bytes($0.octets)) }))
  }
}
