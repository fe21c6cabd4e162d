// The numbers of a value, for plots and statistics.

import Bluetooth

/// A number in a value, for plots and statistics.
package struct MeasuredNumber: Sendable {
  /// The name of the field, dotted if it is nested; empty for a value without fields.
  package let field: String
  package let value: Double
  /// The number of decimals to print.
  package let decimals: Int
  /// The unit; nil if there is none.
  package let unit: String?
}

extension StepValue {
  /// The finite numbers of the value and of its fields. Lists are left out, because positions in a
  /// list have no meaning over several values.
  package var numbers: [MeasuredNumber] {
    decoded.map { Self.numbers(of: DecodedValue.Field("", $0), inside: "") } ?? []
  }

  private static func numbers(
    of field: DecodedValue.Field, inside outer: String
  ) -> [MeasuredNumber] {
    let name = outer.isEmpty ? field.name : "\(outer).\(field.name)"
    switch field.value {
    case .integer(let number):
      return [MeasuredNumber(field: name, value: Double(number), decimals: 0, unit: field.unit)]
    case .real(let number, let decimals):
      guard number.isFinite else { return [] }
      return [MeasuredNumber(field: name, value: number, decimals: decimals, unit: field.unit)]
    case .fields(let fields): return fields.flatMap { numbers(of: $0, inside: name) }
    case .text, .boolean, .octets, .list: return []
    }
  }
}
