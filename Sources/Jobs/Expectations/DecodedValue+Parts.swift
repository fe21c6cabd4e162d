// The parts of a value for checks.

import Bluetooth

extension DecodedValue {
  /// The value itself, or the value of its only field.
  var only: DecodedValue {
    guard case .fields(let fields) = self, fields.count == 1 else { return self }
    return fields[0].value.only
  }

  /// The bits of a whole number, in two's complement when it is negative.
  var bits: UInt64? {
    if case .integer(let integer) = only { UInt64(bitPattern: integer) } else { nil }
  }

  /// The part that a path with dots names: `hr.bpm`.
  func field(at path: String) -> Field? {
    guard case .fields(let fields) = self else { return nil }
    if let field = fields.first(where: { $0.name == path }) { return field }
    guard let dot = path.firstIndex(of: "."),
      let outer = fields.first(where: { $0.name == path[..<dot] })
    else { return nil }
    return outer.value.field(at: String(path[path.index(after: dot)...]))
  }
}
