// org.bluez.Device1: a remote device, `/org/bluez/hciN/dev_AA_BB_CC_DD_EE_FF`.

package import Bluetooth
package import DBus

/// `org.bluez.Device1`.
///
/// - Source: BlueZ 5.66, `doc/device-api.txt`, `src/device.c`; later: `doc/org.bluez.Device.rst`.
package enum Device1 {
  /// The interface.
  package static let interface = "org.bluez.Device1"

  /// In the order of bluetoothd 5.82.
  package static let declaration = InterfaceDeclaration(
    interface,
    methods: [disconnect, connect, connectProfile, disconnectProfile, pair, cancelPairing],
    properties: [
      address, addressType, name, alias, deviceClass, appearance, icon, paired, bonded, trusted,
      blocked, legacyPairing, cablePairing, rssi, connected, uuids, modalias, adapter,
      manufacturerData,
      serviceData, txPower, servicesResolved, advertisingFlags, advertisingData, wakeAllowed,
      sets, preferredBearer,
    ]
  )

  // MARK: Methods

  /// On LE, replies when the ATT channel is up, before services are resolved.
  package static let connect = Method("Connect", of: interface)
  /// Cancels a pending Connect, and takes about 2 s. It also succeeds if nothing is connected.
  package static let disconnect = Method("Disconnect", of: interface)
  package static let connectProfile = Method(
    "ConnectProfile", of: interface, takes: .list(("UUID", .string))
  )
  package static let disconnectProfile = Method(
    "DisconnectProfile", of: interface, takes: .list(("UUID", .string))
  )
  /// Connects if necessary, and resolves the services before it replies.
  package static let pair = Method("Pair", of: interface)
  package static let cancelPairing = Method("CancelPairing", of: interface)

  // MARK: Signals

  /// The reason of a disconnect, one of ``DisconnectReason``, and a message; since 5.83.
  package static let disconnected = "Disconnected"

  /// The arguments of ``disconnected``.
  package static let disconnectedArguments = Arguments.list(
    ("name", .string), ("message", Codec.string)
  )

  /// Values of the first argument of ``disconnected``.
  package enum DisconnectReason {
    package static let unknown = "org.bluez.Reason.Unknown"
    package static let timeout = "org.bluez.Reason.Timeout"
    package static let local = "org.bluez.Reason.Local"
    package static let remote = "org.bluez.Reason.Remote"
    package static let authentication = "org.bluez.Reason.Authentication"
    package static let suspend = "org.bluez.Reason.Suspend"
  }

  // MARK: Properties

  package static let address = Property("Address", .address, of: interface)
  package static let addressType = Property("AddressType", Codec<AddressType>.text, of: interface)
  package static let name = Property("Name", .string, of: interface, presence: .known)
  /// For a device without a name, the address with `-` for `:`.
  package static let alias = Property("Alias", .string, of: interface, access: .readWrite)
  package static let deviceClass = Property("Class", .uint32, of: interface, presence: .known)
  package static let appearance = Property("Appearance", .uint16, of: interface, presence: .known)
  package static let icon = Property("Icon", .string, of: interface, presence: .known)
  package static let paired = Property("Paired", .boolean, of: interface)
  package static let bonded = Property("Bonded", .boolean, of: interface)
  package static let trusted = Property("Trusted", .boolean, of: interface, access: .readWrite)
  package static let blocked = Property("Blocked", .boolean, of: interface, access: .readWrite)
  package static let legacyPairing = Property("LegacyPairing", .boolean, of: interface)
  package static let cablePairing = Property(
    "CablePairing", .boolean, of: interface, since: .cablePairing
  )
  /// The RSSI in dBm.
  package static let rssi = Property("RSSI", .int16, of: interface, presence: .discovered)
  /// The RSSI that a controller reports when it does not know it.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.7.65.2.
  package static let unknownRSSI: Int16 = 127
  package static let connected = Property("Connected", .boolean, of: interface)
  /// The advertised services first; all of them once resolved.
  package static let uuids = Property("UUIDs", .uuids, of: interface)
  package static let modalias = Property("Modalias", .string, of: interface, presence: .known)
  package static let adapter = Property("Adapter", .objectPath, of: interface)
  /// Keyed by company identifier.
  package static let manufacturerData = Property(
    "ManufacturerData", .companyData, of: interface, presence: .known
  )
  /// Keyed by service UUID.
  package static let serviceData = Property(
    "ServiceData", .serviceData, of: interface, presence: .known
  )
  /// The TX power in dBm, as advertised.
  package static let txPower = Property("TxPower", .int16, of: interface, presence: .discovered)
  /// Whether the services are known and their objects exported.
  package static let servicesResolved = Property("ServicesResolved", .boolean, of: interface)
  /// The Flags of the last advertisement, one octet.
  package static let advertisingFlags = Property(
    "AdvertisingFlags", .bytes, of: interface, presence: .known, since: .advertisingFlags
  )
  /// Advertised data that no other property shows, keyed by its type.
  package static let advertisingData = Property(
    "AdvertisingData", .advertisingData, of: interface, presence: .known, since: .advertisingFlags
  )
  package static let wakeAllowed = Property(
    "WakeAllowed", .boolean, of: interface, access: .readWrite, presence: .known
  )
  /// The sets of devices, such as a pair of earbuds, that it belongs to, with its rank in each.
  package static let sets = Property(
    "Sets", .deviceSets, of: interface, presence: .known, since: .sets
  )
  /// For a dual-mode device, one of ``PreferredBearer``; since 5.80.
  package static let preferredBearer = Property(
    "PreferredBearer", .string, of: interface, access: .readWrite, presence: .experimental
  )
}

/// `org.bluez.Battery1`, on the device object while it is connected and the level is known.
///
/// - Source: BlueZ 5.66, `doc/battery-api.txt`, `src/battery.c`.
package enum Battery1 {
  /// The interface.
  package static let interface = "org.bluez.Battery1"

  package static let declaration = InterfaceDeclaration(
    interface, properties: [percentage, source])

  package static let percentage = Property("Percentage", .byte, of: interface, presence: .known)
  /// Where the level comes from.
  package static let source = Property(
    "Source", .string, of: interface, presence: .known, since: .batteryInterfaces
  )
}
