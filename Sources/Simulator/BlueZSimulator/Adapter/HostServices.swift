// The services of the host itself, which its adapters list.

import Bluetooth

/// bluetoothd's own services, listed as `UUIDs` of each adapter.
///
/// - Source: recorded from bluetoothd 5.66 with its default plugins.
enum HostServices {
  /// In the order of the recording: Generic Attribute, Generic Access, PnP Information, A/V Remote
  /// Control Target and Controller, Device Information.
  private static let own = [0x1801, 0x1800, 0x1200, 0x110c, 0x110e, 0x180a].map {
    BluetoothUUID(short: $0).text
  }

  /// The UUIDs of these services and of programs' services, in bluetoothd's order.
  static func listed(_ programs: [BluetoothUUID]) -> [String] {
    let added = programs.map(\.text)
    let new = added.enumerated().filter { added.firstIndex(of: $1) == $0 && !own.contains($1) }
    return Array(own.prefix(2)) + new.map(\.element) + Array(own.dropFirst(2))
  }
}
