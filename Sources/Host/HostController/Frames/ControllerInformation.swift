// A controller's properties, as the kernel's management interface reports them.

import Bluetooth

/// The reply to Read Controller Information.
///
/// - Source: BlueZ `doc/mgmt-api.txt`, "Read Controller Information Command".
struct ControllerInformation: Hashable, Sendable {
  let address: BluetoothAddress
  /// The HCI version of the controller.
  let version: UInt8
  let manufacturer: UInt16
  let supportedSettings: UInt32
  let currentSettings: UInt32

  /// Parses the return parameters; nil when they are truncated.
  init?(_ parameters: [UInt8]) {
    var reader = PacketReader(parameters)
    guard let address = reader.number(6), let version = reader.uint8(),
      let manufacturer = reader.uint16(), let supported = reader.uint32(),
      let current = reader.uint32()
    else { return nil }
    self.address = BluetoothAddress(number: address)
    self.version = version
    self.manufacturer = manufacturer
    supportedSettings = supported
    currentSettings = current
  }

  /// The controllers in the reply to Read Controller Index List; nil when it is truncated.
  static func indexes(_ parameters: [UInt8]) -> [UInt16]? {
    var reader = PacketReader(parameters)
    guard let count = reader.uint16() else { return nil }
    var indexes: [UInt16] = []
    for _ in 0..<count {
      guard let index = reader.uint16() else { return nil }
      indexes.append(index)
    }
    return indexes.sorted()
  }

  /// The names of the settings in a mask, in bit order. Unknown bits are left out.
  static func names(of settings: UInt32) -> [String] {
    settingNames.enumerated().compactMap { bit, name in
      settings & (1 << UInt32(bit)) == 0 ? nil : name
    }
  }

  private static let settingNames = [
    "powered", "connectable", "fast-connectable", "discoverable", "bondable", "link-security",
    "secure-simple-pairing", "br-edr", "high-speed", "low-energy", "advertising",
    "secure-connections", "debug-keys", "privacy", "configuration", "static-address",
    "phy-configuration", "wideband-speech",
  ]
}
