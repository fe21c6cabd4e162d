// Parts of a decoded value: its bits, bytes, fields and numbers.

import Bluetooth

extension DecodedValue {
  /// The bits of a whole number, in two's complement if it is negative; nil for other values.
  var bits: UInt64? {
    if case .integer(let integer) = only { UInt64(truncatingIfNeeded: integer) } else { nil }
  }

  /// The bytes of a byte value or a text; nil for other values.
  var bytes: [UInt8]? {
    switch self {
    case .octets(let octets): octets
    case .text(let text): Array(text.utf8)
    case .integer, .real, .boolean, .fields, .list: nil
    }
  }

  /// The field at a dotted path: `hr.bpm`.
  func field(at path: String) -> Field? {
    guard case .fields(let fields) = self else { return nil }
    if let field = fields.first(where: { $0.name == path }) { return field }
    guard let dot = path.firstIndex(of: "."),
      let outer = fields.first(where: { $0.name == path[..<dot] })
    else { return nil }
    return outer.value.field(at: String(path[path.index(after: dot)...]))
  }
}
