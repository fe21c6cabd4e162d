// Reads the services of a program from its exported objects.
//
// Pure: objects in, definitions or bluetoothd's error out.

import BlueZInterfaces
import Bluetooth
import DBus
import SimulatedDevices

extension BluetoothUUID {
  /// Parses a UUID as bluetoothd does for programs: a short one may begin with `0x`.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  init?(ofProgram text: String) {
    let digits = text.hasPrefix("0x") && text.utf8.count <= 10 ? String(text.dropFirst(2)) : text
    self.init(digits)
  }
}

/// One object in a program's list.
struct ListedObject: Sendable {
  let path: ObjectPath
  let interfaces: [(name: String, properties: PropertyMap)]

  init?(_ path: DBusValue, _ interfaces: DBusValue) {
    guard let path = path.asObjectPath, let all = interfaces.asDictionary else { return nil }
    self.path = path
    self.interfaces = all.entries.compactMap { entry in
      guard let name = entry.key.asString, name != StandardInterface.properties,
        name != StandardInterface.introspectable
      else { return nil }
      return (name, entry.value.asPropertyMap ?? [:])
    }
  }

  /// The objects in the reply to GetManagedObjects.
  static func all(in reply: Message) -> [ListedObject] {
    guard case .dictionary(let all)? = reply.body.first else { return [] }
    return all.entries.compactMap { ListedObject($0.key, $0.value) }
  }

  func properties(of interface: String) -> PropertyMap? {
    interfaces.first { $0.name == interface }?.properties
  }
}

/// An attribute of a program: its object, and its requirements.
struct ProgramObject: Sendable {
  let path: ObjectPath
  let interface: String
  /// The handle that the program requests; 0: any; nil: the object has no such property.
  let handle: UInt16?
  /// The flags of a descriptor or characteristic.
  var flags: [String] = []
  /// The program offers sockets for written values, and for notified values.
  var acquiresWrite = false
  var acquiresNotify = false
}

/// The services of a program in the order of its list, with the checks of bluetoothd.
///
/// - Source: BlueZ 5.66, `src/gatt-database.c` (client_ready_cb, database_add_service), and recorded
///   from it.
struct ProgramServices: Sendable {
  /// A service, with its objects in the order of its attributes.
  struct Service: Sendable {
    var definition: ServiceDefinition
    let object: ProgramObject
    var characteristics: [Characteristic] = []
    /// The paths of the included services.
    var includes: [ObjectPath] = []
  }

  struct Characteristic: Sendable {
    var definition: CharacteristicDefinition
    let object: ProgramObject
    var descriptors: [ProgramObject] = []
  }

  /// True if every requested handle equals the assigned one.
  func demand(only entries: [ServiceEntry]) -> Bool {
    zip(services, entries).allSatisfy { service, entry in
      service.attributes(at: entry).allSatisfy { object, handle in
        [nil, 0, handle].contains(object.handle)
      }
    }
  }

  private(set) var services: [Service] = []

  static let noObjects = ErrorAnswer.failed("No object received")
  static let noServices = ErrorAnswer.failed("No valid service object found")
  static let noEntry = ErrorAnswer.failed("Failed to create entry in database")

  init(_ objects: [ListedObject]) throws(ErrorAnswer) {
    guard objects.contains(where: { !$0.interfaces.isEmpty }) else { throw Self.noObjects }
    let found = objects.filter { $0.properties(of: GattService1.interface) != nil }
    let hasProfile = objects.contains { object in
      object.properties(of: ProgramAttribute.profile)?["UUIDs"]?.asStrings?.isEmpty == false
    }
    guard !found.isEmpty || hasProfile else { throw Self.noServices }
    // The structure of all objects is checked before the properties of any.
    try checkStructure(objects, of: found.map(\.path))
    for object in found {
      if let properties = object.properties(of: GattService1.interface) {
        services.append(try Self.service(object.path, properties))
      }
    }
    for object in objects { try addCharacteristic(object) }
    for object in objects { try addDescriptor(object) }
    for index in services.indices {
      services[index].definition.includes = services[index].includes.compactMap { path in
        services.first { $0.object.path == path }?.definition.uuid
      }
      services[index].definition.characteristics = services[index].characteristics.map(\.definition)
    }
  }

  // MARK: The objects

  private func checkStructure(
    _ objects: [ListedObject], of services: [ObjectPath]
  ) throws(ErrorAnswer) {
    var characteristics: [ObjectPath] = []
    for object in objects {
      guard let properties = object.properties(of: GattCharacteristic1.interface) else { continue }
      guard let service = properties[GattCharacteristic1.service], services.contains(service),
        Self.flags(properties, among: Self.characteristicFlags) != nil
      else { throw Self.noServices }
      characteristics.append(object.path)
    }
    for object in objects {
      guard let properties = object.properties(of: GattDescriptor1.interface) else { continue }
      guard let characteristic = properties[GattDescriptor1.characteristic],
        characteristics.contains(characteristic),
        Self.flags(properties, among: Self.descriptorFlags) != nil
      else { throw Self.noServices }
    }
  }

  private static func service(
    _ path: ObjectPath, _ properties: PropertyMap
  ) throws(ErrorAnswer) -> Service {
    guard properties[GattService1.primary] != nil else { throw noEntry }
    var service = Service(
      definition: ServiceDefinition(uuid: try uuid(properties)),
      object: ProgramObject(
        path: path, interface: GattService1.interface, handle: try handle(properties)
      )
    )
    if properties["Includes"] != nil {
      guard let paths = properties[GattService1.includes] else { throw noEntry }
      service.includes = paths
    }
    service.definition.handle = service.object.handle.flatMap { $0 == 0 ? nil : $0 }
    return service
  }

  private mutating func addCharacteristic(_ object: ListedObject) throws(ErrorAnswer) {
    guard let properties = object.properties(of: GattCharacteristic1.interface),
      let service = services.firstIndex(where: {
        $0.object.path == properties[GattCharacteristic1.service]
      })
    else { return }
    let flags = properties["Flags"]?.asStrings ?? []
    let definition = CharacteristicDefinition(
      uuid: try Self.uuid(properties), properties: Self.properties(flags),
      security: Self.security(flags)
    )
    services[service].characteristics.append(
      Characteristic(
        definition: definition,
        object: ProgramObject(
          path: object.path, interface: GattCharacteristic1.interface,
          handle: try Self.handle(properties), flags: flags,
          acquiresWrite: properties["WriteAcquired"] != nil,
          acquiresNotify: properties["NotifyAcquired"] != nil
        )
      )
    )
  }

  private mutating func addDescriptor(_ object: ListedObject) throws(ErrorAnswer) {
    guard let properties = object.properties(of: GattDescriptor1.interface) else { return }
    let owner = properties[GattDescriptor1.characteristic]
    for service in services.indices {
      let index = services[service].characteristics.firstIndex { $0.object.path == owner }
      guard let index else { continue }
      let flags = properties["Flags"]?.asStrings ?? []
      let definition = DescriptorDefinition(
        uuid: try Self.uuid(properties), value: [], security: Self.security(flags)
      )
      services[service].characteristics[index].definition.descriptors.append(definition)
      services[service].characteristics[index].descriptors.append(
        ProgramObject(
          path: object.path, interface: GattDescriptor1.interface,
          handle: try Self.handle(properties), flags: flags
        )
      )
    }
  }

  // MARK: Properties

  /// The UUID of a service. Generic Access and Generic Attribute are reserved for bluetoothd.
  private static func uuid(_ properties: PropertyMap) throws(ErrorAnswer) -> BluetoothUUID {
    guard let text = properties[GattService1.uuid.name]?.asString,
      let uuid = BluetoothUUID(ofProgram: text), uuid.short != 0x1800, uuid.short != 0x1801
    else { throw noEntry }
    return uuid
  }

  private static func handle(_ properties: PropertyMap) throws(ErrorAnswer) -> UInt16? {
    guard let value = properties[ProgramAttribute.handle] else { return nil }
    guard let handle = value.asUInt16 else { throw noEntry }
    return handle
  }

  private static func flags(_ properties: PropertyMap, among known: [String]) -> [String]? {
    guard let flags = properties["Flags"]?.asStrings, !flags.isEmpty else { return nil }
    return flags.allSatisfy(known.contains) ? flags : nil
  }

  private static let protections = ["encrypt-", "encrypt-authenticated-", "secure-"]

  private static let characteristicFlags =
    CharacteristicProperties.knownFlags + ["authorize"]
    + ["read", "write", "notify", "indicate"].flatMap { flag in protections.map { $0 + flag } }

  private static let descriptorFlags =
    ["read", "write", "authorize"]
    + ["read", "write"].flatMap { flag in protections.map { $0 + flag } }

  /// The properties of a characteristic; a protected operation counts as offered.
  private static func properties(_ flags: [String]) -> CharacteristicProperties {
    let bare = flags.map { flag in
      let protection = protections.last { flag.hasPrefix($0) }
      return protection.map { String(flag.dropFirst($0.count)) } ?? flag
    }
    return CharacteristicProperties(flags: bare)
  }

  private static func security(_ flags: [String]) -> AttributeSecurity {
    func demanded(_ operations: String...) -> LinkSecurity {
      operations.map { operation -> LinkSecurity in
        if flags.contains("encrypt-authenticated-\(operation)") { return .authenticated }
        if flags.contains("secure-\(operation)") { return .authenticated }
        return flags.contains("encrypt-\(operation)") ? .encrypted : .none
      }.max() ?? .none
    }
    var security = AttributeSecurity(read: demanded("read"), write: demanded("write"))
    security.subscription = demanded("notify", "indicate")
    return security
  }
}

extension ProgramServices.Service {
  /// Characteristics and descriptors with their handles in a table. A Client Characteristic
  /// Configuration of the program is left to bluetoothd.
  func attributes(at entry: ServiceEntry) -> [(object: ProgramObject, handle: UInt16)] {
    zip(characteristics, entry.characteristics).flatMap { characteristic, entry in
      // bluetoothd's own descriptors come last; each UUID occurs once.
      let own = zip(characteristic.definition.descriptors, characteristic.descriptors)
      let all = entry.descriptors.compactMap { entry in
        own.first { $0.0.uuid == entry.uuid }.map { (object: $0.1, handle: entry.handle) }
      }
      return [(object: characteristic.object, handle: entry.handle)] + all
    }
  }
}
