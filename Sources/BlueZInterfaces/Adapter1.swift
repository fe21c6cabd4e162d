// org.bluez.Adapter1: a controller, `/org/bluez/hciN`.

public import Bluetooth
public import DBus

/// `org.bluez.Adapter1`.
///
/// - Source: BlueZ 5.66, `doc/adapter-api.txt`, `src/adapter.c`; later:
///   `doc/org.bluez.Adapter.rst`.
public enum Adapter1 {
  /// The interface.
  public static let interface = "org.bluez.Adapter1"

  /// As described and listed by bluetoothd 5.66.
  public static let declaration = InterfaceDeclaration(
    interface,
    methods: [
      startDiscovery, setDiscoveryFilter, stopDiscovery, removeDevice, getDiscoveryFilters,
    ],
    properties: [
      address, addressType, name, alias, deviceClass, powered, powerState, discoverable,
      discoverableTimeout, pairable, pairableTimeout, discovering, uuids, modalias, roles,
      experimentalFeatures,
    ]
  )

  // MARK: Methods

  /// Replies once the controller has started; `Discovering` becomes true before or after.
  public static let startDiscovery = Method("StartDiscovery", of: interface)
  /// Ends this client's session; discovery stops with the last session.
  public static let stopDiscovery = Method("StopDiscovery", of: interface)
  /// Keys in ``DiscoveryFilterKey``; an empty map removes this client's filter.
  public static let setDiscoveryFilter = Method(
    "SetDiscoveryFilter",
    of: interface,
    takes: .one("properties", .properties)
  )
  public static let getDiscoveryFilters = Method(
    "GetDiscoveryFilters",
    of: interface,
    returns: .one("filters", .strings)
  )
  /// Removes a device and its bond; disconnects it first.
  public static let removeDevice = Method(
    "RemoveDevice",
    of: interface,
    takes: .one("device", .objectPath)
  )

  // MARK: Properties

  /// The controller's address.
  public static let address = Property("Address", .address, of: interface)
  public static let addressType = Property("AddressType", Codec<AddressType>.text, of: interface)
  /// The system's name.
  public static let name = Property("Name", .string, of: interface)
  /// Writing an empty string resets the alias to the name.
  public static let alias = Property("Alias", .string, of: interface, access: .readWrite)
  public static let deviceClass = Property("Class", .uint32, of: interface)
  public static let powered = Property("Powered", .boolean, of: interface, access: .readWrite)
  /// One of ``PowerState``.
  public static let powerState = Property(
    "PowerState",
    .string,
    of: interface,
    since: BlueZVersion(5, 73)
  )
  public static let discoverable = Property(
    "Discoverable",
    .boolean,
    of: interface,
    access: .readWrite
  )
  /// In seconds; 180 by default, 0 for ever.
  public static let discoverableTimeout = Property(
    "DiscoverableTimeout",
    .uint32,
    of: interface,
    access: .readWrite
  )
  public static let pairable = Property("Pairable", .boolean, of: interface, access: .readWrite)
  /// In seconds; 0 for ever.
  public static let pairableTimeout = Property(
    "PairableTimeout",
    .uint32,
    of: interface,
    access: .readWrite
  )
  /// Whether discovery is active for any client.
  public static let discovering = Property("Discovering", .boolean, of: interface)
  /// The services that this host offers.
  public static let uuids = Property("UUIDs", .strings, of: interface)
  public static let modalias = Property("Modalias", .string, of: interface, presence: .known)
  /// One or more of ``Role``.
  public static let roles = Property("Roles", .strings, of: interface)
  /// The experimental features that are enabled.
  public static let experimentalFeatures = Property(
    "ExperimentalFeatures",
    .strings,
    of: interface,
    presence: .known
  )

  /// Values of ``powerState``.
  public enum PowerState {
    public static let on = "on"
    public static let off = "off"
    public static let turningOn = "off-enabling"
    public static let turningOff = "on-disabling"
    /// By rfkill.
    public static let blocked = "off-blocked"
  }

  /// Values of ``roles``.
  public enum Role {
    public static let central = "central"
    public static let peripheral = "peripheral"
    public static let centralAndPeripheral = "central-peripheral"
  }

  /// Keys of ``setDiscoveryFilter``.
  public enum DiscoveryFilterKey {
    /// `as`: any of these services advertised; absent or empty for any device.
    public static let uuids = "UUIDs"
    /// `n`, dBm, -127…20: a lower bound, which BlueZ applies loosely; cannot be combined with
    /// pathloss.
    public static let rssi = "RSSI"
    /// `q`, dB: an upper bound.
    public static let pathloss = "Pathloss"
    /// `s`, one of ``Transport``.
    public static let transport = "Transport"
    /// `b`: report manufacturer and service data of every advertisement; false when absent.
    public static let duplicateData = "DuplicateData"
    /// `b`: the adapter is discoverable during discovery.
    public static let discoverable = "Discoverable"
    /// `s`: a prefix of address or name.
    public static let pattern = "Pattern"
    /// `b`, since 5.83: connect to devices that match the pattern.
    public static let autoConnect = "AutoConnect"

    /// What ``getDiscoveryFilters`` lists in 5.66, in its order.
    public static let known = [
      uuids, rssi, pathloss, transport, duplicateData, discoverable, pattern,
    ]
  }

  /// Values of ``DiscoveryFilterKey/transport``.
  public enum Transport {
    public static let auto = "auto"
    public static let classic = "bredr"
    public static let lowEnergy = "le"
  }

  /// The valid range of the RSSI filter, in dBm.
  public static let filterRSSI: ClosedRange<Int> = -127...20
}
