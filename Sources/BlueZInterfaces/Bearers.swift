// org.bluez.Bearer.LE1 and Bearer.BREDR1: the two bearers of a dual-mode device.

public import DBus

/// `org.bluez.Bearer.LE1`, on a device object; experimental, since 5.84.
///
/// - Source: BlueZ after 5.87, `doc/org.bluez.Bearer.LE.rst`, `src/bearer.c`.
public enum BearerLE1 {
  /// The interface.
  public static let interface = "org.bluez.Bearer.LE1"

  public static let connect = Method("Connect", of: interface)
  public static let disconnect = Method("Disconnect", of: interface)

  /// Whether the device is connected over LE.
  public static let connected = Property("Connected", .boolean, of: interface)
}

/// `org.bluez.Bearer.BREDR1`, on a device object; experimental, since 5.84.
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
