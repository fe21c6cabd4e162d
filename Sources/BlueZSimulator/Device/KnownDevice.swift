// What bluetoothd knows of a device beside its link.
//
// A pure value: advertisements in, changed properties out.

import BlueZInterfaces
import Bluetooth
import DBus
import SimulatedDevices

/// The properties of a device that are not its link's.
struct KnownDevice: Sendable {
  private(set) var address: BluetoothAddress
  private(set) var addressType: AddressType
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

  init(_ address: BluetoothAddress, _ addressType: AddressType) {
    self.address = address
    self.addressType = addressType
  }

  /// It is known which device hides behind the address.
  mutating func identify(_ address: BluetoothAddress, _ addressType: AddressType) {
    self.address = address
    self.addressType = addressType
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
  mutating func heard(_ data: AdvertisedData, tellsAll: Bool, threshold: Int) -> [any AnyProperty] {
    var changed: [any AnyProperty] = []
    if data.name != name, data.name != nil {
      name = data.name
      changed.append(Device1.name)
      if alias == nil { changed.append(Device1.alias) }
    }
    if data.appearance != appearance, data.appearance != nil {
      appearance = data.appearance
      changed.append(Device1.appearance)
      if icon != nil { changed.append(Device1.icon) }
    }
    if rssi.map({ abs($0 - data.rssi) >= threshold }) ?? true {
      rssi = data.rssi
      changed.append(Device1.rssi)
    }
    let added = data.services.filter { !services.contains($0) }
    if !added.isEmpty {
      services += added
      changed.append(Device1.uuids)
    }
    if hear(data.manufacturerData, tellsAll, in: \.manufacturerData, { $0.company == $1.company }) {
      changed.append(Device1.manufacturerData)
    }
    if hear(data.serviceData, tellsAll, in: \.serviceData, { $0.service == $1.service }) {
      changed.append(Device1.serviceData)
    }
    if data.txPower != txPower, data.txPower != nil {
      txPower = data.txPower
      changed.append(Device1.txPower)
    }
    return changed
  }

  /// Data of one kind was heard. An advertisement without any leaves what is known; with one of the
  /// same owner, that is replaced. Where everything is told, only what is new stays.
  ///
  /// - Returns: Whether that is to be told.
  /// - Source: BlueZ 5.66, `src/device.c` (device_set_manufacturer_data, device_set_service_data).
  private mutating func hear<Data: Equatable>(
    _ data: [Data],
    _ tellsAll: Bool,
    in path: WritableKeyPath<KnownDevice, [Data]>,
    _ haveSameOwner: (Data, Data) -> Bool
  ) -> Bool {
    guard !data.isEmpty else { return false }
    let before = self[keyPath: path]
    var merged = tellsAll ? [] : before
    for item in data {
      if let index = merged.firstIndex(where: { haveSameOwner($0, item) }) {
        merged[index] = item
      } else {
        merged.append(item)
      }
    }
    self[keyPath: path] = merged
    return tellsAll || merged != before
  }

  /// Nobody discovers any more.
  ///
  /// - Returns: The properties that ceased to exist.
  mutating func unheard() -> [any AnyProperty] {
    var gone: [any AnyProperty] = []
    if txPower != nil { gone.append(Device1.txPower) }
    if rssi != nil { gone.append(Device1.rssi) }
    rssi = nil
    txPower = nil
    return gone
  }

  /// What only the air tells is not kept on disk.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  mutating func forgetAir() {
    _ = unheard()
    manufacturerData = []
    serviceData = []
  }

  /// The services of the device are known now.
  ///
  /// - Returns: Whether that changed anything.
  mutating func found(_ all: [BluetoothUUID]) -> Bool {
    let merged = (services + all.filter { !services.contains($0) }).sorted()
    defer { services = merged }
    return merged != services
  }
}
