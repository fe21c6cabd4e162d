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

  /// The checksum of a row, as the function of SQL computes it.
  static func of(_ row: [DatabaseValue], in table: TableDefinition) -> Int64 {
    Int64(bitPattern: checksum(of: [table.name.databaseValue] + row))
  }

  /// The hash covers the type of each value and the length of each text, so that different lists
  /// never hash the same octets.
  static func checksum(of values: [DatabaseValue]) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    func add(_ bytes: some Sequence<UInt8>) { for byte in bytes { add(byte) } }
    func add(_ type: UInt8, _ number: UInt64) {
      add(type)
      for shift in stride(from: UInt64(0), to: 64, by: 8) {
        add(UInt8(truncatingIfNeeded: number >> shift))
      }
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
