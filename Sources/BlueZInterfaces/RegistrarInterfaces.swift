// Interfaces with which a client registers something of its own with bluetoothd.

/// Names of `org.bluez.GattManager1`, on an adapter.
///
/// - Source: BlueZ 5.66, `doc/gatt-api.txt`, `src/gatt-database.c`.
public enum GattManager1 {
  /// The interface.
  public static let interface = "org.bluez.GattManager1"

  /// Methods.
  public enum Method {
    /// `(o, a{sv})`
    public static let registerApplication = "RegisterApplication"
    /// `(o)`
    public static let unregisterApplication = "UnregisterApplication"
  }
}

/// Names of `org.bluez.LEAdvertisingManager1`, on an adapter.
///
/// - Source: BlueZ 5.66, `doc/advertising-api.txt`, `src/advertising.c`.
public enum LEAdvertisingManager1 {
  /// The interface.
  public static let interface = "org.bluez.LEAdvertisingManager1"

  /// Methods.
  public enum Method {
    /// `(o, a{sv})`
    public static let registerAdvertisement = "RegisterAdvertisement"
    /// `(o)`
    public static let unregisterAdvertisement = "UnregisterAdvertisement"
  }

  /// Properties.
  public enum Property {
    /// `y`, read.
    public static let activeInstances = "ActiveInstances"
    /// `y`, read.
    public static let supportedInstances = "SupportedInstances"
    /// `as`, read.
    public static let supportedIncludes = "SupportedIncludes"
    /// `as`, read, if supported.
    public static let supportedSecondaryChannels = "SupportedSecondaryChannels"
  }
}
