// The standard interfaces, which every exported object has implicitly.

/// Interfaces of the D-Bus specification, which every object served here or by bluetoothd has;
/// bluetoothd lists the first two with empty property maps.
///
/// - Source: D-Bus Specification 0.41, "Standard Interfaces"; BlueZ 5.66, `gdbus/object.c`.
package enum StandardInterface {
  /// Implemented by every object.
  package static let introspectable = "org.freedesktop.DBus.Introspectable"
  /// Implemented by every object that has properties.
  package static let properties = "org.freedesktop.DBus.Properties"
  /// Implemented by `/` of bluetoothd: lists the objects, and signals when they appear and
  /// disappear.
  package static let objectManager = "org.freedesktop.DBus.ObjectManager"

  /// Describes an object in XML.
  package static let introspect = Method(
    "Introspect", of: introspectable, returns: .list(("xml", .string))
  )

  /// Lists all objects with their interfaces and properties.
  package static let getManagedObjects = Method(
    "GetManagedObjects", of: objectManager,
    returns: .list(("objects", Codec.value("a{oa{sa{sv}}}")))
  )
  /// Signals that an object gained interfaces; always sent by the object manager.
  package static let interfacesAdded = ExportedSignal(
    "InterfacesAdded", [.init("object", "o"), .init("interfaces", "a{sa{sv}}")]
  )
  /// Signals that an object lost interfaces; always sent by the object manager.
  package static let interfacesRemoved = ExportedSignal(
    "InterfacesRemoved", [.init("object", "o"), .init("interfaces", "as")]
  )

  /// Reads one property of an interface.
  package static let get = Method(
    "Get", of: properties, takes: .list(("interface", .string), ("name", .string)),
    returns: .list(("value", Codec.value("v")))
  )
  /// Sets one property of an interface.
  package static let set = Method(
    "Set", of: properties,
    takes: .list(("interface", .string), ("name", .string), ("value", Codec.value("v")))
  )
  /// Reads all properties of an interface.
  package static let getAll = Method(
    "GetAll", of: properties, takes: .list(("interface", .string)),
    returns: .list(("properties", .properties))
  )
  /// Signals that properties have changed, from the object's own path; the last argument lists
  /// those that were invalidated.
  package static let propertiesChanged = ExportedSignal(
    "PropertiesChanged",
    [
      .init("interface", "s"), .init("changed_properties", "a{sv}"),
      .init("invalidated_properties", "as"),
    ]
  )

  // Declarations only: ObjectServer implements these methods itself.
  static let propertiesDeclaration = ExportedInterface(
    properties,
    methods: [
      ExportedMethod(get) { _, _ in }, ExportedMethod(set) { _, _ in },
      ExportedMethod(getAll) { _, _ in },
    ],
    signals: [propertiesChanged]
  )

  static let introspectableDeclaration = ExportedInterface(
    introspectable, methods: [ExportedMethod(introspect) { _ in }]
  )

  static let objectManagerDeclaration = ExportedInterface(
    objectManager, methods: [ExportedMethod(getManagedObjects) { _ in }],
    signals: [interfacesAdded, interfacesRemoved]
  )

  /// Adds the implicit interfaces of an object: Introspectable before all, Properties after the
  /// first one that has some.
  ///
  /// - Parameters:
  ///   - isNew: Whether the object is new, and gains Introspectable.
  ///   - bringsProperties: Whether the object gains Properties.
  /// - Source: BlueZ 5.66, `gdbus/object.c` (g_dbus_register_interface).
  static func completing(
    _ interfaces: [ExportedInterface], isNew: Bool, bringsProperties: Bool
  ) -> [ExportedInterface] {
    var complete = isNew ? [introspectableDeclaration] : []
    var isMissing = bringsProperties
    for interface in interfaces {
      complete.append(interface)
      if isMissing, !interface.properties.isEmpty {
        complete.append(propertiesDeclaration)
        isMissing = false
      }
    }
    return isMissing ? complete + [propertiesDeclaration] : complete
  }
}
