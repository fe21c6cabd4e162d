// Devices from the text of files, for tests.

import Bluetooth
import Documents
import SimulatedDevices
import Testing

/// Definitions and complaints from text.
enum DeviceText {
  /// The one device of these keys, beside its address.
  static func device(_ keys: String) throws -> DeviceDefinition {
    let all = try DeviceFile.parse("address: C0:FF:EE:00:00:01\n" + keys, file: "device.yaml")
    #expect(all.count == 1)
    return try #require(all.first)
  }

  /// A device with these characteristics, each a flow mapping's keys.
  static func characteristics(_ all: String...) throws -> DeviceDefinition {
    try device(keys(all))
  }

  static func keys(_ characteristics: [String]) -> String {
    "services:\n- service: fff0\n  characteristics:\n"
      + characteristics.map { "  - { \($0) }\n" }.joined()
  }

  /// The errors in these keys of a device, beside its address.
  static func complaints(_ keys: String) -> [String] {
    do {
      _ = try DeviceFile.parse("address: C0:FF:EE:00:00:01\n" + keys, file: "device.yaml")
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  /// The errors in these characteristics.
  static func complaints(ofCharacteristics all: String...) -> [String] { complaints(keys(all)) }
}
