// Assigns handles to attributes, one after the other.

import Bluetooth

/// An attribute table that is being built.
struct AttributeLayout {
  private(set) var services: [ServiceEntry] = []
  private(set) var characteristics: [AttributeTable.Characteristic] = []
  private(set) var positions: [AttributeTable.Position] = []
  /// The included services of each service.
  private var includes: [[BluetoothUUID]] = []
  /// The UUIDs of all services that can be included.
  private let all: [BluetoothUUID]

  init(_ services: [ServiceDefinition]) { all = services.map(\.uuid) }

  /// Adds a service with its contents, unless too few handles are left.
  mutating func add(_ service: ServiceDefinition) {
    let descriptors = service.characteristics.map(Self.descriptors)
    let included = service.includes.filter { all.contains($0) && $0 != service.uuid }
    let size = descriptors.reduce(1 + included.count) { $0 + 2 + $1.count }
    let unused = max(0, Int(service.handle ?? 0) - positions.count - 1)
    guard positions.count + unused + size <= Int(UInt16.max) else { return }
    // Handles that are skipped cannot be read.
    for _ in 0..<unused { _ = next(.declaration) }
    let handle = next(.declaration)
    for _ in included { _ = next(.declaration) }
    let entries = zip(service.characteristics, descriptors).map { definition, descriptors in
      add(definition, descriptors, of: service.uuid)
    }
    includes.append(included)
    services.append(
      ServiceEntry(
        uuid: service.uuid, handle: handle, lastHandle: UInt16(positions.count), includes: [],
        characteristics: entries
      )
    )
  }

  /// Sets the handles of included services, which may follow the including one.
  mutating func resolveIncludes() {
    let handles = services.map { (uuid: $0.uuid, handle: $0.handle) }
    for (index, included) in includes.enumerated() {
      services[index].includes = included.compactMap { uuid in
        handles.first { $0.uuid == uuid }?.handle
      }
    }
  }

  private mutating func add(
    _ definition: CharacteristicDefinition, _ descriptors: [DescriptorDefinition],
    of service: BluetoothUUID
  ) -> CharacteristicEntry {
    let index = characteristics.count
    let declaration = next(.declaration)
    let handle = next(.value(index))
    let entries = descriptors.enumerated().map { number, descriptor in
      DescriptorEntry(uuid: descriptor.uuid, handle: next(.descriptor(index, number)))
    }
    let isExtended = entries.contains { $0.uuid == AttributeTable.extendedProperties }
    let entry = CharacteristicEntry(
      uuid: definition.uuid, declaration: declaration, handle: handle,
      properties: definition.properties.union(isExtended ? .extendedProperties : []),
      descriptors: entries
    )
    characteristics.append(
      AttributeTable.Characteristic(
        service: service, definition: definition, entry: entry, descriptors: descriptors
      )
    )
    return entry
  }

  private mutating func next(_ position: AttributeTable.Position) -> UInt16 {
    positions.append(position)
    return UInt16(positions.count)
  }

  /// The definition's descriptors, after those that its properties require.
  private static func descriptors(
    of characteristic: CharacteristicDefinition
  ) -> [DescriptorDefinition] {
    let properties = characteristic.properties
    var added: [DescriptorDefinition] = []
    if characteristic.hasConfiguration, !properties.isDisjoint(with: [.notify, .indicate]) {
      added.append(DescriptorDefinition(uuid: .clientCharacteristicConfiguration, value: [0, 0]))
    }
    // Properties beyond the byte in the declaration are stored in this descriptor.
    let extended = UInt8(properties.rawValue >> 8)
    if extended != 0 {
      let value = [extended, 0]
      added.append(DescriptorDefinition(uuid: AttributeTable.extendedProperties, value: value))
    }
    let own = characteristic.descriptors.filter { own in
      !added.contains { $0.uuid == own.uuid } && own.uuid != .clientCharacteristicConfiguration
    }
    return added + own
  }
}
