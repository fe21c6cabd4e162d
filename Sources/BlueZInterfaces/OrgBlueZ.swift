// The name that BlueZ has on the bus, and what it offers beside devices.
//
// Data only. How it behaves is told by its client and by its simulator.

/// The bus name and the fixed interfaces of bluetoothd.
public enum OrgBlueZ {
  /// The well-known name that bluetoothd owns on the system bus.
  ///
  /// - Source: BlueZ 5.66, `src/main.c`, `src/bluetooth.conf`.
  public static let busName = "org.bluez"
}
