// Ranges of quantities, by their units.

/// The ranges of units: those of fields in characteristics and in advertised data alike.
enum UnitRange {
  /// A percentage is at most 100, a temperature at least absolute zero.
  private static let ranges: [String: ClosedRange<Double>] = [
    "%": 0...100, "°C": -273.15 ... .infinity, "°F": -459.67 ... .infinity,
  ]

  /// Returns the range of a unit; nil without a unit, and for a unit without a range.
  static func of(_ unit: String?) -> ClosedRange<Double>? { unit.flatMap { ranges[$0] } }
}

extension DecodedValue {
  /// Checks a value. Values that are not numbers pass.
  ///
  /// - Throws: ``ValueError`` for a number outside a range.
  func check(in range: ClosedRange<Double>?, _ field: String, at octet: Int) throws(ValueError) {
    guard let range, let number, number.isFinite, !range.contains(number) else { return }
    func shown(_ end: Double) -> String { end == end.rounded() ? "\(Int(end))" : "\(end)" }
    let low = shown(range.lowerBound)
    let expected =
      range.upperBound.isFinite ? "not in \(low) to \(shown(range.upperBound))" : "below \(low)"
    throw ValueError(
      field: field, octet: octet, problem: "\(self) is \(expected)", isOutOfRange: true
    )
  }
}
