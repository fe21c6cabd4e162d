// org.bluez.GattManager1 and LEAdvertisingManager1, with which programs become peripherals, and what
// those programs export.

public import DBus

/// `org.bluez.GattManager1`, on an adapter.
///
/// - Source: BlueZ 5.66, `doc/gatt-api.txt`, `src/gatt-database.c`.
public enum GattManager1 {
  /// The interface.
  public static let interface = "org.bluez.GattManager1"

  public static let declaration = InterfaceDeclaration(
    interface,
    methods: [registerApplication, unregisterApplication]
  )

  /// The root below which the program exports its services; no options are defined.
  public static let registerApplication = Method(
    "RegisterApplication",
    of: interface,
    takes: .two(("application", .objectPath), ("options", .properties))
  )
  public static let unregisterApplication = Method(
    "UnregisterApplication",
    of: interface,
    takes: .one("application", .objectPath)
  )
}

/// What a program exports beside the properties that bluetoothd itself exports of remote attributes.
///
/// - Source: BlueZ 5.66, `doc/gatt-api.txt`, `src/gatt-database.c`.
public enum ProgramAttribute {
  /// A handle that the program demands, or 0; then bluetoothd sets the one that it has assigned.
  public static let handle = "Handle"
  /// Services of a client that bluetoothd is to connect to by itself.
  public static let profile = "org.bluez.GattProfile1"
  /// An indication was confirmed; bluetoothd expects no reply.
  public static let confirm = Method("Confirm", of: GattCharacteristic1.interface)

  /// Keys of the options of calls to a program.
  public enum Option {
    /// `o`, the central.
    public static let device = "device"
    /// `q`, unless it is 0.
    public static let offset = "offset"
    /// `s`
    public static let link = "link"
    /// `q`
    public static let mtu = "mtu"
  }
}

/// `org.bluez.LEAdvertisingManager1`, on an adapter.
///
/// - Source: BlueZ 5.66, `doc/advertising-api.txt`, `src/advertising.c`.
public enum LEAdvertisingManager1 {
  /// The interface.
  public static let interface = "org.bluez.LEAdvertisingManager1"

  public static let declaration = InterfaceDeclaration(
    interface,
    methods: [registerAdvertisement, unregisterAdvertisement],
    properties: [
      activeInstances, supportedInstances, supportedIncludes, supportedSecondaryChannels,
    ]
  )

  /// No options are defined.
  public static let registerAdvertisement = Method(
    "RegisterAdvertisement",
    of: interface,
    takes: .two(("advertisement", .objectPath), ("options", .properties))
  )
  public static let unregisterAdvertisement = Method(
    "UnregisterAdvertisement",
    of: interface,
    takes: .one("service", .objectPath)
  )

  public static let activeInstances = Property("ActiveInstances", .byte, of: interface)
  /// How many more can be registered.
  public static let supportedInstances = Property("SupportedInstances", .byte, of: interface)
  public static let supportedIncludes = Property("SupportedIncludes", .strings, of: interface)
  /// With extended advertising.
  public static let supportedSecondaryChannels = Property(
    "SupportedSecondaryChannels",
    .strings,
    of: interface,
    presence: .known
  )
}

/// `org.bluez.LEAdvertisement1`, which a program exports. All properties but the type are optional.
///
/// - Source: BlueZ 5.66, `doc/advertising-api.txt`, `src/advertising.c`.
public enum LEAdvertisement1 {
  /// The interface.
  public static let interface = "org.bluez.LEAdvertisement1"

  /// It is no longer sent; bluetoothd expects no reply.
  public static let release = Method("Release", of: interface)

  /// ``broadcast`` or ``peripheral``.
  public static let type = Property("Type", .string, of: interface)
  public static let serviceUUIDs = Property("ServiceUUIDs", .strings, of: interface)
  public static let solicitUUIDs = Property("SolicitUUIDs", .strings, of: interface)
  /// `a{qv}` of `ay`
  public static let manufacturerData = "ManufacturerData"
  /// `a{sv}` of `ay`
  public static let serviceData = "ServiceData"
  /// `a{yv}` of `ay`
  public static let data = "Data"
  /// Names of ``includes``.
  public static let includes = Property("Includes", .strings, of: interface)
  public static let localName = Property("LocalName", .string, of: interface)
  public static let appearance = Property("Appearance", .uint16, of: interface)
  /// Of one of several advertisements that take turns, in seconds.
  public static let duration = Property("Duration", .uint16, of: interface)
  /// In seconds; 0: none.
  public static let timeout = Property("Timeout", .uint16, of: interface)
  public static let discoverable = Property("Discoverable", .boolean, of: interface)
  /// In seconds.
  public static let discoverableTimeout = Property("DiscoverableTimeout", .uint16, of: interface)
  /// With extended advertising.
  public static let secondaryChannel = Property("SecondaryChannel", .string, of: interface)

  /// Nobody can connect.
  public static let broadcast = "broadcast"
  public static let peripheral = "peripheral"

  /// What bluetoothd includes by itself.
  public enum Include: String, CaseIterable, Sendable {
    case txPower = "tx-power"
    case appearance
    case localName = "local-name"
  }
}
