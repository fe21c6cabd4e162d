// The services of the host itself, as listed by its adapters.

import Bluetooth

/// bluetoothd's own services, listed as `UUIDs` of each adapter.
///
/// - Source: recorded from bluetoothd 5.66 with its default plugins.
enum HostServices {
  /// In the order of the recording: Generic Attribute, Generic Access, PnP Information, A/V Remote
  /// Control Target and Controller, Device Information.
  static let listed = [0x1801, 0x1800, 0x1200, 0x110c, 0x110e, 0x180a].map {
    BluetoothUUID(short: $0).text
  }
}
