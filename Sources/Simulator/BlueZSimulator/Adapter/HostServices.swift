// The host itself, as its adapters describe it: services, software and controller.

import BlueZInterfaces
import Bluetooth

/// bluetoothd's own services, listed as `UUIDs` of each adapter, and its other constants.
///
/// - Source: recorded from bluetoothd 5.66 and 5.82 with their default plugins.
enum HostServices {
  /// The company of the lab's virtual controllers: the Linux Foundation.
  static let manufacturer: UInt16 = 0x05f1
  /// Core 5.0.
  static let controllerVersion: UInt8 = 9

  /// The UUIDs in the order of the recordings: Generic Attribute, Generic Access, SIM Access,
  /// PnP Information, A/V Remote Control Target and Controller, Device Information.
  private static func own(_ version: BlueZVersion) -> [String] {
    let simAccess: [UInt16] = version.has(.emptyInterfaces) ? [0x112d] : []
    let all: [UInt16] = [0x1801, 0x1800] + simAccess + [0x1200, 0x110c, 0x110e, 0x180a]
    return all.map { BluetoothUUID(short: $0).text }
  }

  /// The UUIDs of these services and of programs' services, in bluetoothd's order.
  static func listed(_ programs: [BluetoothUUID], by version: BlueZVersion) -> [String] {
    let own = own(version)
    let added = programs.map(\.text)
    let new = added.enumerated().filter { added.firstIndex(of: $1) == $0 && !own.contains($1) }
    return Array(own.prefix(2)) + new.map(\.element) + Array(own.dropFirst(2))
  }

  /// The USB identifiers of BlueZ, with its release as the version of the device: two digits each for
  /// major and minor, in hexadecimal.
  static func modalias(of version: BlueZVersion) -> String {
    let digits = [version.major, version.minor].map { number in
      let text = String(number, radix: 16, uppercase: true)
      return text.count < 2 ? "0" + text : text
    }
    return "usb:v1D6Bp0246d" + digits.joined()
  }
}
