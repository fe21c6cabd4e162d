// The interfaces that every exported object has by itself.

/// Names of `org.freedesktop.DBus.*`, as an object serves them.
///
/// - Source: D-Bus Specification 0.41, "Standard Interfaces".
enum StandardInterface {
  static let introspectable = "org.freedesktop.DBus.Introspectable"
  static let properties = "org.freedesktop.DBus.Properties"
  static let objectManager = "org.freedesktop.DBus.ObjectManager"

  /// The declaration of the Properties interface.
  static let propertiesDeclaration = ExportedInterface(
    properties,
    methods: [
      ExportedMethod(
        "Get",
        takes: [.init("interface", "s"), .init("name", "s")],
        returns: [.init("value", "v")]
      ) { _ in },
      ExportedMethod(
        "Set",
        takes: [.init("interface", "s"), .init("name", "s"), .init("value", "v")]
      ) { _ in },
      ExportedMethod(
        "GetAll",
        takes: [.init("interface", "s")],
        returns: [.init("properties", "a{sv}")]
      ) { _ in },
    ],
    signals: [
      ExportedSignal(
        "PropertiesChanged",
        [
          .init("interface", "s"), .init("changed_properties", "a{sv}"),
          .init("invalidated_properties", "as"),
        ]
      )
    ]
  )

  /// The declaration of the Introspectable interface.
  static let introspectableDeclaration = ExportedInterface(
    introspectable,
    methods: [ExportedMethod("Introspect", returns: [.init("xml", "s")]) { _ in }]
  )

  /// The declaration of the ObjectManager interface.
  static let objectManagerDeclaration = ExportedInterface(
    objectManager,
    methods: [
      ExportedMethod("GetManagedObjects", returns: [.init("objects", "a{oa{sa{sv}}}")]) { _ in }
    ],
    signals: [
      ExportedSignal(
        "InterfacesAdded",
        [.init("object", "o"), .init("interfaces", "a{sa{sv}}")]
      ),
      ExportedSignal("InterfacesRemoved", [.init("object", "o"), .init("interfaces", "as")]),
    ]
  )

  /// Interfaces together with those that an object has by itself: Introspectable before all,
  /// Properties behind the first that has some.
  ///
  /// - Parameter isNew: Whether the object is, and has Introspectable with them.
  /// - Parameter bringsProperties: Whether it has Properties with them.
  /// - Source: BlueZ 5.66, `gdbus/object.c` (g_dbus_register_interface).
  static func completing(
    _ interfaces: [ExportedInterface],
    isNew: Bool,
    bringsProperties: Bool
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
