// org.bluez.Adapter1: a controller, `/org/bluez/hciN`.

/// Names of `org.bluez.Adapter1`.
///
/// - Source: BlueZ 5.66, `doc/adapter-api.txt`, `src/adapter.c`; later:
///   `doc/org.bluez.Adapter.rst`.
public enum Adapter1 {
  /// The interface.
  public static let interface = "org.bluez.Adapter1"

  /// Methods.
  public enum Method {
    /// `()`. Answered when the controller has begun; `Discovering` becomes true before or after.
    public static let startDiscovery = "StartDiscovery"
    /// `()`. Ends this client's session; only the last one turns discovery off.
    public static let stopDiscovery = "StopDiscovery"
    /// `(a{sv})`, keys in ``DiscoveryFilterKey``; `{}` removes this client's filter.
    public static let setDiscoveryFilter = "SetDiscoveryFilter"
    /// `() -> as`
    public static let getDiscoveryFilters = "GetDiscoveryFilters"
    /// `(o)`. Forgets a device, its bond included; disconnects it first.
    public static let removeDevice = "RemoveDevice"
    /// `(a{sv}) -> o`, experimental.
    public static let connectDevice = "ConnectDevice"
  }

  /// Properties.
  public enum Property {
    /// `s`, read: the controller's address.
    public static let address = "Address"
    /// `s`, read: `public` or `random`.
    public static let addressType = "AddressType"
    /// `s`, read: the system's name.
    public static let name = "Name"
    /// `s`, read and write; an empty string resets it to the name.
    public static let alias = "Alias"
    /// `u`, read: class of device.
    public static let deviceClass = "Class"
    /// `b`, read and write.
    public static let powered = "Powered"
    /// `s`, read, one of ``PowerState``; plain since 5.73, experimental before.
    public static let powerState = "PowerState"
    /// `b`, read and write.
    public static let discoverable = "Discoverable"
    /// `u`, read and write, in seconds; 180 by default, 0 for ever.
    public static let discoverableTimeout = "DiscoverableTimeout"
    /// `b`, read and write.
    public static let pairable = "Pairable"
    /// `u`, read and write, in seconds; 0 for ever.
    public static let pairableTimeout = "PairableTimeout"
    /// `b`, read: whether any client discovers.
    public static let discovering = "Discovering"
    /// `as`, read: the services of this host.
    public static let uuids = "UUIDs"
    /// `s`, read, optional.
    public static let modalias = "Modalias"
    /// `as`, read: of ``Role``.
    public static let roles = "Roles"
    /// `as`, read, optional.
    public static let experimentalFeatures = "ExperimentalFeatures"
    /// `b`, read and write; since 5.79.
    public static let connectable = "Connectable"
    /// `q`, read; after 5.87.
    public static let manufacturer = "Manufacturer"
    /// `y`, read; after 5.87.
    public static let version = "Version"
  }

  /// Values of ``Property/powerState``.
  public enum PowerState {
    public static let on = "on"
    public static let off = "off"
    public static let turningOn = "off-enabling"
    public static let turningOff = "on-disabling"
    /// By rfkill.
    public static let blocked = "off-blocked"
  }

  /// Values of ``Property/roles``.
  public enum Role {
    public static let central = "central"
    public static let peripheral = "peripheral"
    public static let centralAndPeripheral = "central-peripheral"
  }

  /// Keys of ``Method/setDiscoveryFilter``.
  public enum DiscoveryFilterKey {
    /// `as`: any of these services advertised; absent or empty for any device.
    public static let uuids = "UUIDs"
    /// `n`, dBm, -127…20: a lower bound that BlueZ hardly applies; not together with pathloss.
    public static let rssi = "RSSI"
    /// `q`, dB: an upper bound.
    public static let pathloss = "Pathloss"
    /// `s`, one of ``Transport``.
    public static let transport = "Transport"
    /// `b`: manufacturer and service data signalled with every advertisement; false when absent.
    public static let duplicateData = "DuplicateData"
    /// `b`: the adapter is discoverable meanwhile.
    public static let discoverable = "Discoverable"
    /// `s`: a prefix of address or name.
    public static let pattern = "Pattern"
    /// `b`, since 5.83: connect to what matches the pattern.
    public static let autoConnect = "AutoConnect"

    /// What ``Method/getDiscoveryFilters`` lists in 5.66, in its order.
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

  /// The RSSI bounds that a filter may have, in dBm.
  public static let filterRSSI: ClosedRange<Int> = -127...20
}
