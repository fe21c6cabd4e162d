// The interfaces that bluetoothd has beside those for LE centrals and peripherals: programs such as
// KDE's bluez-qt or obexd look for them at their start.

package import DBus

/// `org.bluez.ProfileManager1`, on `/org/bluez`.
///
/// - Source: BlueZ 5.82, `src/profile.c`.
package enum ProfileManager1 {
  package static let interface = "org.bluez.ProfileManager1"

  package static let declaration = InterfaceDeclaration(
    interface, methods: [registerProfile, unregisterProfile]
  )

  /// The profile is an object of the caller.
  package static let registerProfile = Method(
    "RegisterProfile", of: interface,
    takes: .list(("profile", .objectPath), ("UUID", .string), ("options", .properties))
  )
  package static let unregisterProfile = Method(
    "UnregisterProfile", of: interface, takes: .list(("profile", .objectPath))
  )
}

/// `org.bluez.HealthManager1`, on `/org/bluez`.
package enum HealthManager1 {
  package static let interface = "org.bluez.HealthManager1"

  package static let declaration = InterfaceDeclaration(
    interface, methods: [createApplication, destroyApplication]
  )

  package static let createApplication = Method(
    "CreateApplication", of: interface, takes: .list(("config", .properties)),
    returns: .list(("application", .objectPath))
  )
  package static let destroyApplication = Method(
    "DestroyApplication", of: interface, takes: .list(("application", .objectPath))
  )
}

/// `org.bluez.BatteryProviderManager1`, on an adapter.
package enum BatteryProviderManager1 {
  package static let interface = "org.bluez.BatteryProviderManager1"

  package static let declaration = InterfaceDeclaration(interface, methods: [register, unregister])

  package static let register = Method(
    "RegisterBatteryProvider", of: interface, takes: .list(("provider", .objectPath))
  )
  package static let unregister = Method(
    "UnregisterBatteryProvider", of: interface, takes: .list(("provider", .objectPath))
  )
}

/// `org.bluez.Media1`, on an adapter.
package enum Media1 {
  package static let interface = "org.bluez.Media1"

  package static let declaration = InterfaceDeclaration(
    interface,
    methods: registrations.flatMap { [$0.register, $0.unregister] as [any AnyMethod] },
    properties: [supportedUUIDs]
  )

  /// The kinds of objects that a program registers.
  package static let registrations:
    [(
      register: Method<(ObjectPath, PropertyMap), Void>, unregister: Method<ObjectPath, Void>
    )] = [
      ("Endpoint", "endpoint", "properties"), ("Player", "player", "properties"),
      ("Application", "application", "options"),
    ].map { kind, object, options in
      (
        Method(
          "Register\(kind)", of: interface,
          takes: .list((object, .objectPath), (options, .properties))
        ),
        Method("Unregister\(kind)", of: interface, takes: .list((object, .objectPath)))
      )
    }

  package static let supportedUUIDs = Property("SupportedUUIDs", .strings, of: interface)
}

/// `org.bluez.NetworkServer1`, on an adapter.
package enum NetworkServer1 {
  package static let interface = "org.bluez.NetworkServer1"

  package static let declaration = InterfaceDeclaration(interface, methods: [register, unregister])

  package static let register = Method(
    "Register", of: interface, takes: .list(("uuid", .string), ("bridge", .string))
  )
  package static let unregister = Method(
    "Unregister", of: interface, takes: .list(("uuid", .string))
  )
}

/// `org.bluez.SimAccess1`, on an adapter.
package enum SimAccess1 {
  package static let interface = "org.bluez.SimAccess1"

  package static let declaration = InterfaceDeclaration(
    interface, methods: [disconnect], properties: [connected]
  )

  package static let disconnect = Method("Disconnect", of: interface)
  package static let connected = Property("Connected", .boolean, of: interface)
  /// `org.bluez.SimAccessTest1`, without members, on ``BlueZPath/test``.
  package static let test = InterfaceDeclaration("org.bluez.SimAccessTest1")
}
