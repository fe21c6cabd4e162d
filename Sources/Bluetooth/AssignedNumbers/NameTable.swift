// Names for UUIDs and UUIDs for names, of one kind of attribute.

import Spelling

/// The services, the characteristics or the descriptors.
struct NameTable: Sendable {
  /// Every entry in the order of the tables: the Bluetooth SIG's, then the vendors'.
  let entries: [(uuid: BluetoothUUID, name: String, identifier: String)]
  private let names: [BluetoothUUID: String]
  private let uuids: [String: BluetoothUUID]

  /// A table of assigned 16-bit numbers and of vendors' UUIDs.
  ///
  /// For a duplicate UUID or identifier the first entry counts; a test finds duplicates.
  init(_ assigned: [(short: UInt16, name: String)], vendors: [VendorNames] = []) {
    let own = vendors.flatMap(\.all).compactMap { entry in
      BluetoothUUID(entry.uuid).map { ($0, entry.name) }
    }
    entries = (assigned.map { (BluetoothUUID(short: $0.short), $0.name) } + own).map {
      ($0.0, $0.1, Self.identifier($0.1))
    }
    names = Dictionary(
      entries.map { ($0.uuid, $0.name) },
      uniquingKeysWith: { first, _ in first }
    )
    uuids = Dictionary(
      entries.map { ($0.identifier, $0.uuid) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  func name(_ uuid: BluetoothUUID) -> String? { names[uuid] }

  /// The UUID for an identifier, or for a UUID in any form.
  func uuid(_ text: String) -> BluetoothUUID? {
    uuids[text.lowercased()] ?? BluetoothUUID(text)
  }

  /// The identifier closest to `text`, if one is close.
  func nearest(to text: String) -> String? {
    Spelling.nearest(to: text, among: entries.map(\.identifier))
  }

  /// Lower-case ASCII letters and digits, one hyphen between words.
  ///
  /// Works on bytes, because every start of the program makes hundreds of identifiers.
  static func identifier(_ name: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(name.utf8.count)
    var isWithinWord = false
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"):
        if !isWithinWord, !bytes.isEmpty { bytes.append(UInt8(ascii: "-")) }
        bytes.append(byte < UInt8(ascii: "A") ? byte : byte | 0x20)
        isWithinWord = true
      default: isWithinWord = false
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
