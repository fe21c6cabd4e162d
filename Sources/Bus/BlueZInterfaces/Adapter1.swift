// org.bluez.Adapter1: a controller, `/org/bluez/hciN`.

package import Bluetooth
package import DBus

/// `org.bluez.Adapter1`.
///
/// - Source: BlueZ 5.66, `doc/adapter-api.txt`, `src/adapter.c`; later:
///   `doc/org.bluez.Adapter.rst`.
package enum Adapter1 {
  /// The interface.
  package static let interface = "org.bluez.Adapter1"

  /// In the order of bluetoothd 5.82.
  package static let declaration = InterfaceDeclaration(
    interface,
    methods: [
      startDiscovery, setDiscoveryFilter, stopDiscovery, removeDevice, getDiscoveryFilters,
    ],
    properties: [
      address, addressType, name, alias, deviceClass, connectable, powered, powerState,
      discoverable,
      discoverableTimeout, pairable, pairableTimeout, discovering, uuids, modalias, roles,
      experimentalFeatures, manufacturer, version,
    ]
  )

  // MARK: Methods

  /// Replies once the controller has started; `Discovering` becomes true before or after.
  package static let startDiscovery = Method("StartDiscovery", of: interface)
  /// Ends this client's session; discovery stops with the last session.
  package static let stopDiscovery = Method("StopDiscovery", of: interface)
  /// Keys in ``DiscoveryFilterKey``; an empty map removes this client's filter.
  package static let setDiscoveryFilter = Method(
    "SetDiscoveryFilter", of: interface, takes: .list(("properties", .properties))
  )
  package static let getDiscoveryFilters = Method(
    "GetDiscoveryFilters", of: interface, returns: .list(("filters", .strings))
  )
  /// Removes a device and its bond; disconnects it first.
  package static let removeDevice = Method(
    "RemoveDevice", of: interface, takes: .list(("device", .objectPath))
  )

  // MARK: Properties

  /// The controller's address.
  package static let address = Property("Address", .address, of: interface)
  package static let addressType = Property("AddressType", Codec<AddressType>.text, of: interface)
  /// The system's name.
  package static let name = Property("Name", .string, of: interface)
  /// Writing an empty string resets the alias to the name.
  package static let alias = Property("Alias", .string, of: interface, access: .readWrite)
  package static let deviceClass = Property("Class", .uint32, of: interface)
  /// Whether others can connect to the adapter.
  package static let connectable = Property(
    "Connectable", .boolean, of: interface, access: .readWrite, since: .connectable
  )
  package static let powered = Property("Powered", .boolean, of: interface, access: .readWrite)
  /// One of ``PowerState``.
  package static let powerState = Property(
    "PowerState", .string, of: interface, since: .powerState
  )
  package static let discoverable = Property(
    "Discoverable", .boolean, of: interface, access: .readWrite
  )
  /// The timeout in seconds; 180 by default, 0 for ever.
  package static let discoverableTimeout = Property(
    "DiscoverableTimeout", .uint32, of: interface, access: .readWrite
  )
  package static let pairable = Property("Pairable", .boolean, of: interface, access: .readWrite)
  /// The timeout in seconds; 0 for ever.
  package static let pairableTimeout = Property(
    "PairableTimeout", .uint32, of: interface, access: .readWrite
  )
  /// Whether discovery is active for any client.
  package static let discovering = Property("Discovering", .boolean, of: interface)
  /// The services that this host offers.
  package static let uuids = Property("UUIDs", .strings, of: interface)
  package static let modalias = Property("Modalias", .string, of: interface, presence: .known)
  /// One or more of ``Role``.
  package static let roles = Property("Roles", .strings, of: interface)
  /// The experimental features that are enabled.
  package static let experimentalFeatures = Property(
    "ExperimentalFeatures", .strings, of: interface, presence: .known
  )

  /// The company identifier of the controller's maker.
  package static let manufacturer = Property(
    "Manufacturer", .uint16, of: interface, since: .controllerVersion
  )
  /// The version of the Bluetooth Core specification, as the Link Layer numbers it: 0x0c is 5.3.
  package static let version = Property(
    "Version", .byte, of: interface, since: .controllerVersion
  )

  /// Values of ``powerState``.
  package enum PowerState {
    package static let on = "on"
    package static let off = "off"
    package static let turningOn = "off-enabling"
    package static let turningOff = "on-disabling"
    /// The adapter is blocked by rfkill.
    package static let blocked = "off-blocked"
  }

  /// Values of ``roles``.
  package enum Role {
    package static let central = "central"
    package static let peripheral = "peripheral"
    package static let centralAndPeripheral = "central-peripheral"
  }

  /// Keys of ``setDiscoveryFilter``.
  package enum DiscoveryFilterKey {
    /// `as`: any of these services advertised; absent or empty for any device.
    package static let uuids = "UUIDs"
    /// `n`, dBm, -127…20: a lower bound, which BlueZ applies loosely; cannot be combined with
    /// pathloss.
    package static let rssi = "RSSI"
    /// `q`, dB: an upper bound.
    package static let pathloss = "Pathloss"
    /// `s`, one of ``Transport``.
    package static let transport = "Transport"
    /// `b`: report manufacturer and service data of every advertisement; false when absent.
    package static let duplicateData = "DuplicateData"
    /// `b`: the adapter is discoverable during discovery.
    package static let discoverable = "Discoverable"
    /// `s`: a prefix of address or name.
    package static let pattern = "Pattern"
    /// `b`, since 5.83: connect to devices that match the pattern.
    package static let autoConnect = "AutoConnect"

    /// The keys that a release accepts, in the order of ``getDiscoveryFilters``.
    package static func known(by version: BlueZVersion) -> [String] {
      [uuids, rssi, pathloss, transport, duplicateData, discoverable, pattern]
        + (version.has(.autoConnect) ? [autoConnect] : [])
    }
  }

  /// Values of ``DiscoveryFilterKey/transport``.
  package enum Transport {
    package static let auto = "auto"
    package static let classic = "bredr"
    package static let lowEnergy = "le"
  }

  /// The valid range of the RSSI filter, in dBm.
  package static let filterRSSI: ClosedRange<Int> = -127...20
}
