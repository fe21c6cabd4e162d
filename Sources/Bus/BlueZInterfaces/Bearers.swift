// org.bluez.Bearer.LE1 and Bearer.BREDR1: the two bearers of a dual-mode device.

package import DBus

/// `org.bluez.Bearer.LE1`, on a device object since 5.84; its members are experimental.
///
/// - Source: BlueZ after 5.87, `doc/org.bluez.Bearer.LE.rst`, `src/bearer.c`.
package enum BearerLE1 {
  /// The interface.
  package static let interface = "org.bluez.Bearer.LE1"

  /// As bluetoothd has it without `--experimental`: without methods and properties. Its signal
  /// `Disconnected` has the arguments of that of Device1.
  package static let bare = InterfaceDeclaration(interface)

  package static let connect = Method("Connect", of: interface)
  package static let disconnect = Method("Disconnect", of: interface)

  /// Whether the device is connected over LE.
  package static let connected = Property("Connected", .boolean, of: interface)
}

/// `org.bluez.Bearer.BREDR1`, on a device object; experimental, since 5.84.
///
/// - Source: BlueZ after 5.87, `doc/org.bluez.Bearer.BREDR.rst`, `src/bearer.c`.
package enum BearerBREDR1 {
  /// The interface.
  package static let interface = "org.bluez.Bearer.BREDR1"
}

/// Values of `PreferredBearer` of a dual-mode device.
///
/// - Source: BlueZ after 5.87, `doc/org.bluez.Device.rst`.
package enum PreferredBearer {
  package static let lastUsed = "last-used"
  package static let lowEnergy = "le"
  package static let classic = "bredr"
  package static let lastSeen = "last-seen"
}
