// Reads the advertisement of a program from its exported properties.
//
// Pure: properties in, a definition or bluetoothd's error out.

import BlueZInterfaces
import Bluetooth
import DBus
import SimulatedDevices

/// A program's advertisement, with the checks of bluetoothd.
///
/// - Source: BlueZ 5.66, `src/advertising.c` (parse_advertisement); lengths and errors recorded from it
///   on a controller without extended advertising.
struct RegisteredAdvertisement: Sendable {
  /// The properties do not parse, or a field is too long.
  static let notParsed = ErrorAnswer.failed("Failed to parse advertisement.")
  /// The kernel refuses the advertisement.
  static let notRegistered = ErrorAnswer.failed("Failed to register advertisement")

  /// The maximum length of a packet, and of a field without its length and type, in bytes.
  private static let packet = 31
  private static let field = 29

  let definition: AdvertisementDefinition
  /// The duration in seconds; 0: until it is unregistered.
  let timeout: UInt16

  /// - Parameters:
  /// - name: The name of the adapter.
  ///   - txPower: The TX power of the adapter, in dBm.
  init(_ properties: PropertyMap, name: String, txPower: Int) throws(ErrorAnswer) {
    var definition = AdvertisementDefinition(includesName: false)
    var length = 0
    let type = try Self.read(LEAdvertisement1.type, properties)
    guard [nil, LEAdvertisement1.broadcast, LEAdvertisement1.peripheral].contains(type) else {
      throw Self.notParsed
    }
    definition.isConnectable = type == LEAdvertisement1.peripheral
    definition.services = try Self.uuids(LEAdvertisement1.serviceUUIDs, properties, &length)
    _ = try Self.uuids(LEAdvertisement1.solicitUUIDs, properties, &length)
    for (key, octets) in try Self.entries(LEAdvertisement1.manufacturerData, properties) {
      guard let company = key.asUInt16, octets.count <= Self.field - 2 else { throw Self.notParsed }
      definition.manufacturerData.append(ManufacturerData(company: company, octets: octets))
      length += 4 + octets.count
    }
    for (key, octets) in try Self.entries(LEAdvertisement1.serviceData, properties) {
      guard let service = key.asString.flatMap({ BluetoothUUID(ofProgram: $0) }) else {
        throw Self.notParsed
      }
      let size = service.short == nil ? 16 : 2
      guard octets.count <= Self.field - size else { throw Self.notParsed }
      definition.serviceData.append(ServiceData(service: service, octets: octets))
      length += 2 + size + octets.count
    }
    let includes = try Self.read(LEAdvertisement1.includes, properties) ?? []
    let included = includes.compactMap { LEAdvertisement1.Include(rawValue: $0) }
    if let own = try Self.read(LEAdvertisement1.localName, properties) {
      guard !included.contains(.localName) else { throw Self.notParsed }
      definition.name = own.isEmpty ? nil : own
    } else if included.contains(.localName) {
      definition.name = name
    }
    // The name is part of the scan response, shortened to fit.
    definition.name = definition.name.map {
      String(decoding: $0.utf8.prefix(Self.field), as: UTF8.self)
    }
    definition.appearance = try Self.read(LEAdvertisement1.appearance, properties)
    if definition.appearance != nil {
      guard !included.contains(.appearance) else { throw Self.notParsed }
      length += 4
    }
    _ = try Self.read(LEAdvertisement1.duration, properties)
    timeout = try Self.read(LEAdvertisement1.timeout, properties) ?? 0
    for (key, octets) in try Self.entries(LEAdvertisement1.data, properties) {
      // Types with their own property are refused.
      guard let type = key.asByte, type > 0x0a, octets.count <= Self.field else {
        throw Self.notParsed
      }
      length += 2 + octets.count
    }
    let isDiscoverable = try Self.read(LEAdvertisement1.discoverable, properties) ?? false
    let limit = try Self.read(LEAdvertisement1.discoverableTimeout, properties) ?? 0
    if isDiscoverable {
      guard definition.isConnectable, timeout == 0 || limit <= timeout else { throw Self.notParsed }
      length += 3
    }
    if try Self.read(LEAdvertisement1.secondaryChannel, properties) != nil { throw Self.notParsed }
    if included.contains(.txPower) {
      definition.txPower = txPower
      length += 3
    }
    // bluetoothd adds the appearance to the data, and the kernel refuses it twice.
    guard length <= Self.packet, !included.contains(.appearance) else { throw Self.notRegistered }
    self.definition = definition
  }

  private static func read<Value>(
    _ property: Property<Value>, _ properties: PropertyMap
  ) throws(ErrorAnswer) -> Value? {
    guard let value = properties[property.name] else { return nil }
    guard let read = property.codec.decode(value) else { throw notParsed }
    return read
  }

  private static func uuids(
    _ property: Property<[String]>, _ properties: PropertyMap, _ length: inout Int
  ) throws(ErrorAnswer) -> [BluetoothUUID] {
    let texts = try read(property, properties) ?? []
    let uuids = texts.compactMap { BluetoothUUID(ofProgram: $0) }
    guard uuids.count == texts.count else { throw notParsed }
    // UUIDs of the same length share a field.
    for size in [2, 16] {
      let count = uuids.count { ($0.short == nil) == (size == 16) }
      if count > 0 { length += 2 + size * count }
    }
    return uuids
  }

  private static func entries(
    _ name: String, _ properties: PropertyMap
  ) throws(ErrorAnswer) -> [(key: DBusValue, octets: [UInt8])] {
    guard let value = properties[name] else { return [] }
    guard let dictionary = value.asDictionary else { throw notParsed }
    var entries: [(key: DBusValue, octets: [UInt8])] = []
    for (key, value) in dictionary.entries {
      guard let octets = value.asBytes else { throw notParsed }
      entries.append((key, octets))
    }
    return entries
  }
}
