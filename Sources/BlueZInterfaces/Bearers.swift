// org.bluez.Bearer.LE1 and Bearer.BREDR1: the two sides of a device, where bluetoothd tells them
// apart.

/// Names of `org.bluez.Bearer.LE1`, on a device object; experimental, since 5.84.
///
/// - Source: BlueZ after 5.87, `doc/org.bluez.Bearer.LE.rst`, `src/bearer.c`.
public enum BearerLE1 {
  /// The interface.
  public static let interface = "org.bluez.Bearer.LE1"

  /// Methods.
  public enum Method {
    /// `()`
    public static let connect = "Connect"
    /// `()`
    public static let disconnect = "Disconnect"
  }

  /// Properties.
  public enum Property {
    /// `b`, read: the LE link alone.
    public static let connected = "Connected"
  }
}

/// Names of `org.bluez.Bearer.BREDR1`, on a device object; experimental, since 5.84.
///
/// - Source: BlueZ after 5.87, `doc/org.bluez.Bearer.BREDR.rst`, `src/bearer.c`.
public enum BearerBREDR1 {
  /// The interface.
  public static let interface = "org.bluez.Bearer.BREDR1"
}

/// Values of `PreferredBearer` of a dual-mode device.
///
/// - Source: BlueZ after 5.87, `doc/org.bluez.Device.rst`.
public enum PreferredBearer {
  public static let lastUsed = "last-used"
  public static let lowEnergy = "le"
  public static let classic = "bredr"
  public static let lastSeen = "last-seen"
}
