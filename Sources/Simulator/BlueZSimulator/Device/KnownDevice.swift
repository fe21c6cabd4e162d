// The properties of a device in bluetoothd, except those of its connection.
//
// A pure value: advertisements in, changed properties out.

import BlueZInterfaces
import Bluetooth
import DBus
import SimulatedDevices

struct KnownDevice: Sendable {
  private(set) var address: BluetoothAddress
  private(set) var addressType: AddressType
  private(set) var name: String?
  private(set) var appearance: UInt16?
  /// Made of the PnP ID.
  private(set) var modalias: String?
  /// Advertised services in the order of reception, then the discovered ones.
  private(set) var services: [BluetoothUUID] = []
  private(set) var manufacturerData: [ManufacturerData] = []
  private(set) var serviceData: [ServiceData] = []
  private(set) var txPower: Int?
  /// nil before the first advertisement.
  private(set) var advertisingFlags: UInt8?
  /// nil while no client discovers.
  private(set) var rssi: Int?
  var alias: String?
  var isPaired = false
  var isTrusted = false
  var isBlocked = false
  /// Known from discovery only: it is removed a while after its last advertisement.
  var isTemporary = true

  init(_ address: BluetoothAddress, _ addressType: AddressType, name: String? = nil) {
    self.address = address
    self.addressType = addressType
    self.name = name.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Replaces the private address with the resolved identity address.
  mutating func identify(_ address: BluetoothAddress, _ addressType: AddressType) {
    self.address = address
    self.addressType = addressType
  }

  /// The value of `Alias`: the alias that was set, else the name, else the address.
  var shownAlias: String {
    alias ?? name ?? address.text(separator: "-")
  }

  /// Applies an advertisement.
  ///
  /// - Parameters:
  /// - reportsAll: Whether to report unchanged data, too.
  ///   - threshold: The smallest change of RSSI to report, in dB.
  ///   - version: The simulated release.
  /// - Returns: The properties to announce.
  mutating func observe(
    _ data: AdvertisedData, reportsAll: Bool, threshold: Int, by version: BlueZVersion
  ) -> [any AnyProperty] {
    var changed: [any AnyProperty] = []
    // An empty name counts as none: bluetoothd has no `Name`, and the address is the alias.
    if let received = data.name?.endedAtNUL, !received.isEmpty, received != name {
      name = received
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
    let ofData = version.has(.lastingServices) ? data.serviceData.map(\.service) : []
    let known = services.count
    for service in data.services + ofData where !services.contains(service) {
      services.append(service)
    }
    if services.count > known { changed.append(Device1.uuids) }
    let manufacturerData = data.manufacturerData
    if merge(manufacturerData, reportsAll, in: \.manufacturerData, { $0.company == $1.company }) {
      changed.append(Device1.manufacturerData)
    }
    if merge(data.serviceData, reportsAll, in: \.serviceData, { $0.service == $1.service }) {
      changed.append(Device1.serviceData)
    }
    if data.txPower != txPower, data.txPower != nil {
      txPower = data.txPower
      changed.append(Device1.txPower)
    }
    // A report without flags counts as 0.
    if data.flags != advertisingFlags {
      advertisingFlags = data.flags
      changed.append(Device1.advertisingFlags)
    }
    return changed
  }

  /// Merges received data of one kind. Without any the known data stays; new data replaces that of
  /// the same company or service. With `reportsAll` only the new data is kept.
  ///
  /// - Returns: True if it must be announced.
  /// - Source: BlueZ 5.66, `src/device.c` (device_set_manufacturer_data, device_set_service_data).
  private mutating func merge<Data: Equatable>(
    _ data: [Data], _ reportsAll: Bool, in path: WritableKeyPath<KnownDevice, [Data]>,
    _ haveSameOwner: (Data, Data) -> Bool
  ) -> Bool {
    guard !data.isEmpty else { return false }
    let before = self[keyPath: path]
    var merged = reportsAll ? [] : before
    for item in data {
      if let index = merged.firstIndex(where: { haveSameOwner($0, item) }) {
        merged[index] = item
      } else {
        merged.append(item)
      }
    }
    self[keyPath: path] = merged
    return reportsAll || merged != before
  }

  /// Ends discovery: the RSSI becomes unknown.
  ///
  /// - Returns: The properties to invalidate.
  mutating func discoveryEnded() -> [any AnyProperty] {
    var gone: [any AnyProperty] = []
    if txPower != nil { gone.append(Device1.txPower) }
    if rssi != nil { gone.append(Device1.rssi) }
    rssi = nil
    txPower = nil
    return gone
  }

  /// Removes data that only advertisements carry: it is not stored on disk.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  mutating func forgetAir() {
    _ = discoveryEnded()
    manufacturerData = []
    serviceData = []
    advertisingFlags = nil
  }

  /// Sets the name that was read from the device.
  ///
  /// - Returns: True if it differs from the previous one.
  mutating func learn(_ name: String) -> Bool {
    guard self.name != name else { return false }
    self.name = name
    return true
  }

  /// Sets the appearance that was read from the device, if none is known.
  ///
  /// - Returns: The properties to announce.
  /// - Source: BlueZ 5.66, `profiles/gap/gas.c` (handle_appearance).
  mutating func learn(appearance: UInt16) -> [any AnyProperty] {
    guard self.appearance == nil, appearance != 0 else { return [] }
    self.appearance = appearance
    return [Device1.appearance] + (icon == nil ? [] : [Device1.icon])
  }

  /// Sets the modalias of the PnP ID that was read from the device.
  ///
  /// - Returns: True if it must be announced.
  /// - Source: BlueZ 5.66, `profiles/deviceinfo/deviceinfo.c` (read_pnpid_cb), `src/uuid-helper.c`
  ///   (bt_modalias).
  mutating func learn(pnpID: [UInt8]) -> Bool {
    guard pnpID.count >= 7 else { return false }
    let numbers = [1, 3, 5].map { UInt16(pnpID[$0]) | UInt16(pnpID[$0 + 1]) << 8 }
    let digits = numbers.map { number in
      let text = String(number, radix: 16, uppercase: true)
      return String(repeating: "0", count: 4 - text.count) + text
    }
    let known = modalias
    switch pnpID[0] {
    case 1: modalias = "bluetooth:v\(digits[0])p\(digits[1])d\(digits[2])"
    case 2: modalias = "usb:v\(digits[0])p\(digits[1])d\(digits[2])"
    // open: sources of vendor identifiers; of others there is no modalias
    default: modalias = nil
    }
    return modalias != known
  }

  /// Removes services that the device no longer has.
  ///
  /// - Returns: True if anything changed.
  mutating func lost(_ gone: [BluetoothUUID]) -> Bool {
    let before = services.count
    services.removeAll(where: gone.contains)
    return services.count != before
  }

  /// Adds the discovered services.
  ///
  /// - Returns: True if anything changed.
  mutating func found(_ all: [BluetoothUUID]) -> Bool {
    let merged = (services + all.filter { !services.contains($0) }).sorted()
    defer { services = merged }
    return merged != services
  }
}

extension KnownDevice {
  /// The icon name; nil if the appearance is unknown, or bluetoothd has no icon for it.
  ///
  /// The upper ten bits of an appearance are its category, the others its subcategory.
  ///
  /// - Source: BlueZ 5.66, `src/device.c` (get_icon), `src/dbus-common.c` (gap_appearance_to_icon).
  var icon: String? {
    guard let appearance, appearance != 0 else { return nil }
    switch (appearance >> 6, appearance & 0x3f) {
    case (0x00, _): return "unknown"
    case (0x01, _): return "phone"
    case (0x02, _): return "computer"
    case (0x05, _): return "video-display"
    case (0x0a, _): return "multimedia-player"
    case (0x0b, _), (0x0f, 0x08): return "scanner"
    case (0x0f, 0x01): return "input-keyboard"
    case (0x0f, 0x02): return "input-mouse"
    case (0x0f, 0x03), (0x0f, 0x04): return "input-gaming"
    case (0x0f, 0x05): return "input-tablet"
    default: return nil
    }
  }
}

extension String {
  /// The text as a C string: everything before the first NUL.
  ///
  /// - Source: BlueZ 5.66, `src/eir.c` (name2utf8).
  var endedAtNUL: String {
    utf8.firstIndex(of: 0).map { String(self[..<$0]) } ?? self
  }
}
