// org.bluez.GattManager1 and LEAdvertisingManager1, with which a program acts as a peripheral, and
// the interfaces that such a program exports.

package import DBus

/// `org.bluez.GattManager1`, on an adapter.
///
/// - Source: BlueZ 5.66, `doc/gatt-api.txt`, `src/gatt-database.c`.
package enum GattManager1 {
  /// The interface.
  package static let interface = "org.bluez.GattManager1"

  package static let declaration = InterfaceDeclaration(
    interface, methods: [registerApplication, unregisterApplication]
  )

  /// The root below which the program exports its services; no options are defined.
  package static let registerApplication = Method(
    "RegisterApplication", of: interface,
    takes: .list(("application", .objectPath), ("options", .properties))
  )
  package static let unregisterApplication = Method(
    "UnregisterApplication", of: interface, takes: .list(("application", .objectPath))
  )
}

/// Members of the exported attributes of a program. Its other members are those that bluetoothd
/// exports for remote attributes.
///
/// - Source: BlueZ 5.66, `doc/gatt-api.txt`, `src/gatt-database.c`.
package enum ProgramAttribute {
  /// The requested handle; or 0, and bluetoothd then sets the handle that it has assigned.
  package static let handle = "Handle"
  /// The services of remote devices to which bluetoothd connects automatically.
  package static let profile = "org.bluez.GattProfile1"
  /// Called when an indication was confirmed; bluetoothd expects no reply.
  package static let confirm = Method("Confirm", of: GattCharacteristic1.interface)

  /// Keys of the options of calls to a program.
  package enum Option {
    /// `o`, the central.
    package static let device = "device"
    /// `q`; absent if it is 0.
    package static let offset = "offset"
    /// `s`
    package static let link = "link"
    /// `q`
    package static let mtu = "mtu"
  }
}

/// `org.bluez.LEAdvertisingManager1`, on an adapter.
///
/// - Source: BlueZ 5.66, `doc/advertising-api.txt`, `src/advertising.c`.
package enum LEAdvertisingManager1 {
  /// The interface.
  package static let interface = "org.bluez.LEAdvertisingManager1"

  package static let declaration = InterfaceDeclaration(
    interface, methods: [registerAdvertisement, unregisterAdvertisement],
    properties: [
      activeInstances, supportedInstances, supportedIncludes, supportedSecondaryChannels,
      supportedFeatures, supportedCapabilities,
    ]
  )

  /// No options are defined.
  package static let registerAdvertisement = Method(
    "RegisterAdvertisement", of: interface,
    takes: .list(("advertisement", .objectPath), ("options", .properties))
  )
  package static let unregisterAdvertisement = Method(
    "UnregisterAdvertisement", of: interface, takes: .list(("service", .objectPath))
  )

  package static let activeInstances = Property("ActiveInstances", .byte, of: interface)
  /// The number of advertisements that can still be registered.
  package static let supportedInstances = Property("SupportedInstances", .byte, of: interface)
  package static let supportedIncludes = Property("SupportedIncludes", .strings, of: interface)
  /// With extended advertising.
  package static let supportedSecondaryChannels = Property(
    "SupportedSecondaryChannels", .strings, of: interface, presence: .known
  )
  package static let supportedFeatures = Property(
    "SupportedFeatures", .strings, of: interface, since: .advertisingCapabilities
  )
  /// Ranges of the TX power in dBm, lengths of the data in octets.
  package static let supportedCapabilities = Property(
    "SupportedCapabilities", .properties, of: interface, since: .advertisingCapabilities
  )
}

/// `org.bluez.LEAdvertisement1`, which a program exports. All properties but the type are optional.
///
/// - Source: BlueZ 5.66, `doc/advertising-api.txt`, `src/advertising.c`.
package enum LEAdvertisement1 {
  /// The interface.
  package static let interface = "org.bluez.LEAdvertisement1"

  /// Called when the advertisement is no longer sent; bluetoothd expects no reply.
  package static let release = Method("Release", of: interface)

  /// ``broadcast`` or ``peripheral``.
  package static let type = Property("Type", .string, of: interface)
  package static let serviceUUIDs = Property("ServiceUUIDs", .strings, of: interface)
  package static let solicitUUIDs = Property("SolicitUUIDs", .strings, of: interface)
  /// `a{qv}` of `ay`
  package static let manufacturerData = "ManufacturerData"
  /// `a{sv}` of `ay`
  package static let serviceData = "ServiceData"
  /// `a{yv}` of `ay`
  package static let data = "Data"
  /// Names of ``includes``.
  package static let includes = Property("Includes", .strings, of: interface)
  package static let localName = Property("LocalName", .string, of: interface)
  package static let appearance = Property("Appearance", .uint16, of: interface)
  /// The duration of each transmission if several advertisements alternate, in seconds.
  package static let duration = Property("Duration", .uint16, of: interface)
  /// The timeout in seconds; 0 for none.
  package static let timeout = Property("Timeout", .uint16, of: interface)
  package static let discoverable = Property("Discoverable", .boolean, of: interface)
  /// The timeout in seconds.
  package static let discoverableTimeout = Property("DiscoverableTimeout", .uint16, of: interface)
  /// With extended advertising.
  package static let secondaryChannel = Property("SecondaryChannel", .string, of: interface)

  /// Not connectable.
  package static let broadcast = "broadcast"
  package static let peripheral = "peripheral"

  /// Data that bluetoothd adds itself.
  package enum Include: String, CaseIterable, Sendable {
    case txPower = "tx-power"
    case appearance
    case localName = "local-name"
  }
}
