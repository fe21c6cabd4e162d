// The reports of bluetoothd about its objects, and the changes that follow.

import BlueZInterfaces
import DBus

/// One interface of an object with its properties.
struct ListedInterface: Equatable, Sendable {
  let name: String
  let properties: PropertyMap

  init(_ name: String, _ properties: PropertyMap) {
    self.name = name
    self.properties = properties
  }
}

/// One object with its interfaces, in the order they were listed.
struct ListedObject: Equatable, Sendable {
  let path: ObjectPath
  let interfaces: [ListedInterface]

  init(_ path: ObjectPath, _ interfaces: [ListedInterface]) {
    self.path = path
    self.interfaces = interfaces
  }
}

/// One message about the objects.
enum TreeEvent: Sendable {
  /// GetManagedObjects was called: signals are kept until the reply.
  case snapshotAsked
  /// The reply to GetManagedObjects.
  case snapshot([ListedObject])
  /// GetManagedObjects failed.
  case snapshotFailed
  /// InterfacesAdded.
  case added(ObjectPath, [ListedInterface])
  /// InterfacesRemoved.
  case removed(ObjectPath, [String])
  /// PropertiesChanged.
  case changed(ObjectPath, interface: String, PropertyMap, invalidated: [String])
  /// bluetoothd has left the bus: nothing that was known is valid any more.
  case cleared
}

/// A change that an event caused.
enum TreeChange: Hashable, Sendable {
  case added(ObjectPath, interface: String)
  case removed(ObjectPath, interface: String)
  /// `properties` are the names that changed or were invalidated, in the order of the message.
  case changed(ObjectPath, interface: String, properties: [String])

  /// Whether a property is among those that changed.
  func concerns(_ property: any AnyProperty) -> Bool {
    switch self {
    case .changed(_, property.interface, let names): names.contains(property.name)
    case .added, .removed, .changed: false
    }
  }

  /// The object that changed.
  var path: ObjectPath {
    switch self {
    case .added(let path, _), .removed(let path, _), .changed(let path, _, _): path
    }
  }
}

extension TreeEvent {
  /// Parses a signal of ObjectManager or Properties; nil for any other message, or a malformed one.
  init?(_ message: Message) {
    let body = message.body
    switch message.member {
    case StandardInterface.interfacesAdded.name:
      guard body.count == 2, let path = body[0].asObjectPath,
        let interfaces = Self.interfaces(in: body[1])
      else { return nil }
      self = .added(path, interfaces)
    case StandardInterface.interfacesRemoved.name:
      guard body.count == 2, let path = body[0].asObjectPath, let names = body[1].asStrings
      else { return nil }
      self = .removed(path, names)
    case StandardInterface.propertiesChanged.name:
      guard body.count == 3, let path = message.path, let interface = body[0].asString,
        let properties = body[1].asPropertyMap, let invalidated = body[2].asStrings
      else { return nil }
      self = .changed(path, interface: interface, properties, invalidated: invalidated)
    default:
      return nil
    }
  }

  /// Parses the reply to GetManagedObjects; nil when it is malformed.
  init?(managedObjects message: Message) {
    guard message.body.count == 1, case .dictionary(let objects) = message.body[0] else {
      return nil
    }
    var listed: [ListedObject] = []
    for entry in objects.entries {
      guard let path = entry.key.asObjectPath,
        let interfaces = Self.interfaces(in: entry.value)
      else { return nil }
      listed.append(ListedObject(path, interfaces))
    }
    self = .snapshot(listed)
  }

  private static func interfaces(in value: DBusValue) -> [ListedInterface]? {
    guard case .dictionary(let dictionary) = value else { return nil }
    var list: [ListedInterface] = []
    for entry in dictionary.entries {
      guard let name = entry.key.asString, let properties = entry.value.asPropertyMap else {
        return nil
      }
      list.append(ListedInterface(name, properties))
    }
    return list
  }
}
