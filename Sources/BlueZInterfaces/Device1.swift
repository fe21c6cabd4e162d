// org.bluez.Device1: a remote device, `/org/bluez/hciN/dev_AA_BB_CC_DD_EE_FF`.

/// Names of `org.bluez.Device1`.
///
/// - Source: BlueZ 5.66, `doc/device-api.txt`, `src/device.c`; later: `doc/org.bluez.Device.rst`.
public enum Device1 {
  /// The interface.
  public static let interface = "org.bluez.Device1"

  /// Methods.
  public enum Method {
    /// `()`. On LE the reply comes when the ATT channel is up, before services are resolved.
    public static let connect = "Connect"
    /// `()`. Success also when nothing is connected; cancels a pending Connect; about 2 s.
    public static let disconnect = "Disconnect"
    /// `(s)`
    public static let connectProfile = "ConnectProfile"
    /// `(s)`
    public static let disconnectProfile = "DisconnectProfile"
    /// `()`. Connects if need be, and resolves the services before it replies.
    public static let pair = "Pair"
    /// `()`
    public static let cancelPairing = "CancelPairing"
  }

  /// Signals.
  public enum Signal {
    /// `(s reason, s message)`, since 5.83; reasons in ``DisconnectReason``.
    public static let disconnected = "Disconnected"
  }

  /// First arguments of ``Signal/disconnected``.
  public enum DisconnectReason {
    public static let unknown = "org.bluez.Reason.Unknown"
    public static let timeout = "org.bluez.Reason.Timeout"
    public static let local = "org.bluez.Reason.Local"
    public static let remote = "org.bluez.Reason.Remote"
    public static let authentication = "org.bluez.Reason.Authentication"
    public static let suspend = "org.bluez.Reason.Suspend"
  }

  /// Properties.
  public enum Property {
    /// `s`, read, always.
    public static let address = "Address"
    /// `s`, read, always: `public` or `random`.
    public static let addressType = "AddressType"
    /// `s`, read, when known.
    public static let name = "Name"
    /// `s`, read and write, always; without a name the address with `-` for `:`.
    public static let alias = "Alias"
    /// `u`, read, when known.
    public static let deviceClass = "Class"
    /// `q`, read, when known.
    public static let appearance = "Appearance"
    /// `s`, read, when known.
    public static let icon = "Icon"
    /// `b`, read, always.
    public static let paired = "Paired"
    /// `b`, read, always.
    public static let bonded = "Bonded"
    /// `b`, read and write, always.
    public static let trusted = "Trusted"
    /// `b`, read and write, always.
    public static let blocked = "Blocked"
    /// `b`, read, always.
    public static let legacyPairing = "LegacyPairing"
    /// `n`, dBm, read, while discovery sees the device.
    public static let rssi = "RSSI"
    /// `b`, read, always.
    public static let connected = "Connected"
    /// `as`, read, always: advertised ones first, all once resolved.
    public static let uuids = "UUIDs"
    /// `s`, read, when known.
    public static let modalias = "Modalias"
    /// `o`, read, always.
    public static let adapter = "Adapter"
    /// `a{qv}` of `ay` by company, read, when advertised.
    public static let manufacturerData = "ManufacturerData"
    /// `a{sv}` of `ay` by service, read, when advertised.
    public static let serviceData = "ServiceData"
    /// `n`, dBm, read, when advertised.
    public static let txPower = "TxPower"
    /// `b`, read, always: the services are known and their objects exported.
    public static let servicesResolved = "ServicesResolved"
    /// `ay`, read; plain since 5.78.
    public static let advertisingFlags = "AdvertisingFlags"
    /// `a{yv}`, read; plain since 5.78.
    public static let advertisingData = "AdvertisingData"
    /// `b`, read and write, when supported.
    public static let wakeAllowed = "WakeAllowed"
    /// `a{oa{sv}}`, read; since 5.67.
    public static let sets = "Sets"
    /// `s`, read and write, dual-mode only, experimental; since 5.80.
    public static let preferredBearer = "PreferredBearer"
  }

  /// The properties of a discovered device, in the order bluetoothd 5.66 lists those it has.
  public static let listingOrder = [
    Property.address, Property.addressType, Property.name, Property.alias,
    Property.paired, Property.bonded, Property.trusted, Property.blocked,
    Property.legacyPairing, Property.rssi, Property.connected, Property.uuids,
    Property.adapter, Property.manufacturerData, Property.serviceData, Property.txPower,
    Property.servicesResolved,
  ]
}

/// Names of `org.bluez.Battery1`, on the device object while it is connected and the level known.
///
/// - Source: BlueZ 5.66, `doc/battery-api.txt`, `src/battery.c`.
public enum Battery1 {
  /// The interface.
  public static let interface = "org.bluez.Battery1"

  /// Properties.
  public enum Property {
    /// `y`, percent, read.
    public static let percentage = "Percentage"
    /// `s`, read, experimental.
    public static let source = "Source"
  }
}
