// The attributes of a device and their handles.
//
// DeviceState holds their values.

public import Bluetooth

/// A service, as discovered by a client.
public struct ServiceEntry: Sendable, Hashable {
  /// The UUID of the service.
  public let uuid: BluetoothUUID
  /// The handle of the declaration.
  public let handle: UInt16
  /// The handle of its last attribute.
  public let lastHandle: UInt16
  /// The handles of the included services, each with its own declaration.
  public internal(set) var includes: [UInt16]
  /// The characteristics, in the order of their handles.
  public let characteristics: [CharacteristicEntry]
}

/// A characteristic, as discovered by a client.
public struct CharacteristicEntry: Sendable, Hashable {
  /// The UUID of the characteristic.
  public let uuid: BluetoothUUID
  /// The handle of the declaration.
  public let declaration: UInt16
  /// The handle of the value: the one after the declaration.
  public let handle: UInt16
  /// The operations that clients may perform.
  public let properties: CharacteristicProperties
  /// The descriptors, in the order of their handles.
  public let descriptors: [DescriptorEntry]

  /// The descriptor that a central writes to subscribe: the Client Characteristic Configuration. If
  /// there is none, bluetoothd uses the only descriptor of a notifying or indicating
  /// characteristic.
  ///
  /// - Source: BlueZ 5.66, `src/shared/gatt-client.c` (discover_descs); seen in the lab.
  public var configuration: DescriptorEntry? {
    let own = descriptors.first { $0.uuid == .clientCharacteristicConfiguration }
    if own != nil || descriptors.count != 1 { return own }
    return properties.isDisjoint(with: [.notify, .indicate]) ? nil : descriptors[0]
  }
}

/// A descriptor, as discovered by a client.
public struct DescriptorEntry: Sendable, Hashable {
  /// The UUID of the descriptor.
  public let uuid: BluetoothUUID
  /// The handle of the descriptor.
  public let handle: UInt16
}

/// All attributes of a device: Generic Access, Generic Attribute, then the definition's services.
///
/// Handles count up from 1, without gaps unless a service demands one. A Client Characteristic
/// Configuration stands directly after the value of each characteristic that notifies or indicates,
/// unless its definition has none. Services for which no handles are left are omitted.
public struct AttributeTable: Sendable, Hashable {
  /// The attribute of a handle, with indices into ``AttributeTable/characteristics`` and its
  /// descriptors.
  enum Position: Sendable, Hashable {
    case declaration
    case value(Int)
    case descriptor(Int, Int)
  }

  /// One characteristic with its definition.
  struct Characteristic: Sendable, Hashable {
    /// The service that contains it.
    let service: BluetoothUUID
    let definition: CharacteristicDefinition
    let entry: CharacteristicEntry
    /// The definitions in the order of `entry.descriptors`.
    let descriptors: [DescriptorDefinition]
  }

  /// The services, in the order of their handles.
  public let services: [ServiceEntry]
  /// The names of its characteristics, in addition to the assigned ones.
  let names: AttributeNames
  /// The characteristics of all services, in the order of their handles.
  let characteristics: [Characteristic]
  /// The attributes by handle, the first being 1.
  private let positions: [Position]

  package static let extendedProperties = BluetoothUUID(short: 0x2900)

  /// Assigns a handle to every attribute of the definition.
  ///
  /// ```swift
  /// let definition = try world.device().definition
  /// for service in AttributeTable(definition).services { print(service.handle, service.uuid) }
  /// ```
  public init(_ definition: DeviceDefinition) {
    let all = Self.genericServices(definition) + definition.services
    var layout = AttributeLayout(all)
    for service in all { layout.add(service) }
    layout.resolveIncludes()
    names = definition.names
    services = layout.services
    characteristics = layout.characteristics
    positions = layout.positions
  }

  /// The characteristic whose value has this handle.
  public func characteristic(at valueHandle: UInt16) -> CharacteristicEntry? {
    guard case .value(let index) = position(of: valueHandle) else { return nil }
    return characteristics[index].entry
  }

  /// The handle of the first value that a selector matches; nil: none.
  ///
  /// ```swift
  /// let handle = try world.device().table.handle(of: "battery-level")
  /// ```
  public func handle(of selector: CharacteristicSelector) -> UInt16? {
    indices(of: selector).first.map { characteristics[$0].entry.handle }
  }

  /// The indices of the characteristics that a selector matches, in the order of their handles. A
  /// selector with an instance or a handle matches at most one.
  func indices(of selector: CharacteristicSelector) -> [Int] {
    if let handle = selector.handle {
      return characteristics.indices.filter { index in
        let entry = characteristics[index].entry
        return entry.handle == handle || entry.declaration == handle
      }
    }
    let matching = characteristics.indices.filter { index in
      characteristics[index].entry.uuid == selector.characteristic
        && (selector.service.map { $0 == characteristics[index].service } ?? true)
    }
    guard let instance = selector.instance else { return matching }
    return matching.indices.contains(instance) ? [matching[instance]] : []
  }

  /// The descriptor that has this handle.
  public func descriptor(at handle: UInt16) -> DescriptorEntry? {
    guard case .descriptor(let index, let number) = position(of: handle) else { return nil }
    return characteristics[index].entry.descriptors[number]
  }

  func position(of handle: UInt16) -> Position? {
    (1...positions.count).contains(Int(handle)) ? positions[Int(handle) - 1] : nil
  }

  /// The services that every device has.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part C §12 and Part G §7.
  private static func genericServices(_ definition: DeviceDefinition) -> [ServiceDefinition] {
    let appearance = definition.appearance ?? 0
    return [
      ServiceDefinition(
        uuid: BluetoothUUID(short: 0x1800),
        characteristics: [
          CharacteristicDefinition(
            uuid: BluetoothUUID(short: 0x2a00), properties: .read,
            behaviour: .constant(Array((definition.gapName ?? definition.name ?? "").utf8))
          ),
          CharacteristicDefinition(
            uuid: BluetoothUUID(short: 0x2a01), properties: .read,
            behaviour: .constant([UInt8(appearance & 0xff), UInt8(appearance >> 8)])
          ),
        ]
      ),
      ServiceDefinition(
        uuid: BluetoothUUID(short: 0x1801),
        characteristics: [
          CharacteristicDefinition(uuid: BluetoothUUID(short: 0x2a05), properties: .indicate)
        ]
      ),
    ]
  }
}
