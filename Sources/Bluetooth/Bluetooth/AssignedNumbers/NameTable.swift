// The assigned names of one kind of attribute, found by UUID or by name.

import Spelling

/// The assigned names of services, of characteristics, or of descriptors.
struct NameTable: Sendable {
  /// One UUID with its name, and with the identifier that stands for it in files.
  typealias Entry = (uuid: BluetoothUUID, name: String, identifier: String)

  /// Every entry in the order of the table: the Bluetooth SIG's, then the vendors'.
  let entries: [Entry]
  /// The lines that are not a UUID and a name.
  let malformed: [String]
  private let known: [BluetoothUUID: Entry]
  private let uuids: [String: BluetoothUUID]

  /// Reads a table of UUIDs and names.
  ///
  /// For a duplicate UUID or identifier the first entry counts; a test finds duplicates.
  init(_ table: [UInt8]) {
    let lines = AssignedLines(table) { BluetoothUUID($0) }
    entries = lines.entries.map { ($0.number, $0.name, Self.identifier($0.name)) }
    malformed = lines.malformed
    known = Dictionary(entries.map { ($0.uuid, $0) }, uniquingKeysWith: { first, _ in first })
    uuids = Dictionary(
      entries.map { ($0.identifier, $0.uuid) }, uniquingKeysWith: { first, _ in first }
    )
  }

  func name(_ uuid: BluetoothUUID) -> String? { known[uuid]?.name }

  func identifier(_ uuid: BluetoothUUID) -> String? { known[uuid]?.identifier }

  /// The UUID for an identifier, or for a UUID in any form.
  func uuid(_ text: String) -> BluetoothUUID? { uuids[text.lowercased()] ?? BluetoothUUID(text) }

  /// The identifier closest to `text`, if one is close.
  func nearest(to text: String) -> String? {
    Spelling.nearest(to: text, among: entries.map(\.identifier))
  }

  /// Lower-case ASCII letters and digits, one hyphen between words.
  private static func identifier(_ name: String) -> String {
    let words = name.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    return words.joined(separator: "-").lowercased()
  }
}
