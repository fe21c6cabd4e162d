// Names for UUIDs and UUIDs for names, of one kind of attribute.

import Spelling

/// The services, the characteristics or the descriptors.
///
/// A program that names a few attributes makes no table of all: assigned names are searched as they
/// are written, and the vendors' table is made when it is needed.
struct NameTable: Sendable {
  /// One UUID with its name, and with the identifier that stands for it in files.
  typealias Entry = (uuid: BluetoothUUID, name: String, identifier: String)

  /// In ascending order.
  private let assigned: [(short: UInt16, name: String)]
  private let vendors: @Sendable () -> VendorTable?

  /// A table of assigned 16-bit numbers in ascending order, and of vendors' UUIDs.
  ///
  /// For a duplicate UUID or identifier the first entry counts; a test finds duplicates.
  init(
    _ assigned: [(short: UInt16, name: String)],
    vendors: @escaping @Sendable () -> VendorTable? = { nil }
  ) {
    self.assigned = assigned
    self.vendors = vendors
  }

  /// Every entry in the order of the tables: the Bluetooth SIG's, then the vendors'.
  var entries: [Entry] {
    assigned.map { (BluetoothUUID(short: $0.short), $0.name, Self.identifier($0.name)) }
      + (vendors()?.entries ?? [])
  }

  func name(_ uuid: BluetoothUUID) -> String? {
    let own = uuid.short.flatMap { short in assigned.first(numbered: short) { $0.short } }
    return own?.name ?? vendors()?.names[uuid]
  }

  /// The UUID for an identifier, or for a UUID in any form.
  func uuid(_ text: String) -> BluetoothUUID? {
    let bytes = Array(text.lowercased().utf8)
    if let own = assigned.first(where: { IdentifierBytes($0.name).elementsEqual(bytes) }) {
      return BluetoothUUID(short: own.short)
    }
    return BluetoothUUID(text) ?? vendors()?.uuids[text.lowercased()]
  }

  /// The identifier closest to `text`, if one is close.
  func nearest(to text: String) -> String? {
    Spelling.nearest(to: text, among: entries.map(\.identifier))
  }

  /// Lower-case ASCII letters and digits, one hyphen between words.
  static func identifier(_ name: String) -> String {
    String(decoding: Array(IdentifierBytes(name)), as: UTF8.self)
  }
}

/// The bytes of the identifier of a name, made one after the other.
private struct IdentifierBytes: Sequence, IteratorProtocol {
  private var rest: String.UTF8View.Iterator
  private var isWithinWord = false
  private var hasBegun = false
  /// The byte behind a hyphen.
  private var letter: UInt8?

  init(_ name: String) { rest = name.utf8.makeIterator() }

  mutating func next() -> UInt8? {
    if let letter {
      self.letter = nil
      return letter
    }
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"):
        let letter = byte < UInt8(ascii: "A") ? byte : byte | 0x20
        let beginsWord = !isWithinWord && hasBegun
        (isWithinWord, hasBegun) = (true, true)
        guard beginsWord else { return letter }
        self.letter = letter
        return UInt8(ascii: "-")
      default: isWithinWord = false
      }
    }
    return nil
  }
}

/// The UUIDs of vendors by name, and their names.
struct VendorTable: Sendable {
  let entries: [NameTable.Entry]
  let names: [BluetoothUUID: String]
  let uuids: [String: BluetoothUUID]

  init(_ vendors: [VendorNames]) {
    entries = vendors.flatMap(\.all).compactMap { entry in
      BluetoothUUID(entry.uuid).map { ($0, entry.name, NameTable.identifier(entry.name)) }
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
}

extension Array {
  /// The element with a number, where elements are in ascending order of their numbers.
  fileprivate func first(numbered wanted: UInt16, _ number: (Element) -> UInt16) -> Element? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if number(self[middle]) < wanted { low = middle + 1 } else { high = middle }
    }
    return low < count && number(self[low]) == wanted ? self[low] : nil
  }
}
