// The fields of advertising data.

import Bluetooth
import SimulatedDevices

/// The content of an advertisement or a scan response.
///
/// - Source: Core Specification Supplement, Part A §1; Assigned Numbers §2.3 (Common Data Types).
struct AdvertisedFields: Sendable {
  var name: String?
  var appearance: UInt16?
  var services: [BluetoothUUID] = []
  var txPower: Int?
  var manufacturerData: [(UInt16, [UInt8])] = []
  var serviceData: [(BluetoothUUID, [UInt8])] = []

  init(_ data: [UInt8]) {
    var reader = PacketReader(data)
    while let length = reader.uint8(), length > 0, let field = reader.bytes(Int(length)) {
      var content = PacketReader(field.dropFirst())
      add(field[0], &content)
    }
  }

  private mutating func add(_ type: UInt8, _ content: inout PacketReader) {
    switch type {
    case 0x02, 0x03: addServices(&content, 2)
    case 0x04, 0x05: addServices(&content, 4)
    case 0x06, 0x07: addServices(&content, 16)
    case 0x08: name = name ?? String(decoding: content.remainingBytes(), as: UTF8.self)
    case 0x09: name = String(decoding: content.remainingBytes(), as: UTF8.self)
    case 0x0a: txPower = content.int8()
    case 0x19: appearance = content.uint16()
    case 0x16: addData(&content, 2)
    case 0x20: addData(&content, 4)
    case 0x21: addData(&content, 16)
    case 0xff:
      if let company = content.uint16() {
        manufacturerData.append((company, content.remainingBytes()))
      }
    // open: types of the specification
    default: break
    }
  }

  private mutating func addServices(_ content: inout PacketReader, _ size: Int) {
    while let uuid = content.uuid(size) {
      if !services.contains(uuid) { services.append(uuid) }
    }
  }

  private mutating func addData(_ content: inout PacketReader, _ size: Int) {
    if let uuid = content.uuid(size) { serviceData.append((uuid, content.remainingBytes())) }
  }
}

extension RecordedAdvertisement {
  /// Creates a kind of advertisement with these fields.
  init(_ fields: AdvertisedFields) {
    self.init()
    add(fields)
  }

  /// Whether an advertisement with these fields is of this kind: the same keys of data, and no
  /// other services. The kind may have more services, which a scan response added.
  func isKind(of fields: AdvertisedFields) -> Bool {
    fields.manufacturerData.map(\.0) == manufacturerData.map(\.key)
      && fields.serviceData.map(\.0) == serviceData.map(\.key)
      && Set(fields.services).isSubset(of: services)
  }

  /// Adds the fields that are new, and counts different data under a known key.
  mutating func add(_ fields: AdvertisedFields) {
    if fields.name != nil || fields.appearance != nil { hasName = true }
    if let power = fields.txPower { txPower = power }
    for service in fields.services
    where services.count < FileLimits.services && !services.contains(service) {
      services.append(service)
    }
    for (key, data) in fields.manufacturerData { Self.add(key, data, to: &manufacturerData) }
    for (key, data) in fields.serviceData { Self.add(key, data, to: &serviceData) }
  }

  /// Adds data under a new key. Under a known key, counts data that differs from the first.
  package static func add<Key>(_ key: Key, _ data: [UInt8], to entries: inout [Entry<Key>]) {
    if let place = entries.firstIndex(where: { $0.key == key }) {
      if entries[place].data != data { entries[place].changes += 1 }
    } else if entries.count < FileLimits.services {
      entries.append(Entry(key, data))
    }
  }
}
