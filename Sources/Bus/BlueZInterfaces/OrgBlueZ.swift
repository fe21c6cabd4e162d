// The name of BlueZ on the bus, and its interfaces other than those of devices.
//
// Data only. Its behaviour is in the client and in the simulator.

/// The bus name and the fixed interfaces of bluetoothd.
package enum OrgBlueZ {
  /// The well-known name that bluetoothd owns on the system bus.
  ///
  /// - Source: BlueZ 5.66, `src/main.c`, `src/bluetooth.conf`.
  package static let busName = "org.bluez"
}
