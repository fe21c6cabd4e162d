// The checksum of a record: a number that changes when any of its values does.

import GRDB

/// The checksum of a record, as a function of SQL.
///
/// It finds damage, not forgery: a program that changes a record can compute it, too. Any change of one
/// octet is found, any other but one in 2⁶⁴.
///
/// - Source: FNV-1a, 64 bits; "The FNV Non-Cryptographic Hash Algorithm", draft-eastlake-fnv.
enum RecordChecksum {
  /// The name of the function: `record_checksum(TABLE, VALUE, …)`.
  static let name = "record_checksum"

  static let function = DatabaseFunction(name, pure: true) { values in
    Int64(bitPattern: checksum(of: values))
  }

  /// The hash covers the type of each value and the length of each text, so that different lists
  /// never hash the same octets.
  static func checksum(of values: [DatabaseValue]) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ octets: some Sequence<UInt8>) {
      for octet in octets { hash = (hash ^ UInt64(octet)) &* 0x0000_0100_0000_01b3 }
    }
    func add(_ type: UInt8, _ number: UInt64) {
      add(CollectionOfOne(type))
      add((0..<8).lazy.map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }
    for value in values {
      switch value.storage {
      case .null: add(0, 0)
      case .int64(let number): add(1, UInt64(bitPattern: number))
      case .double(let number): add(2, number.bitPattern)
      case .string(let text):
        add(3, UInt64(text.utf8.count))
        add(text.utf8)
      case .blob(let data):
        add(4, UInt64(data.count))
        add(data)
      }
    }
    return hash
  }
}
