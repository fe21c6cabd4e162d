// Numbers of descriptions whose power of ten or whose sign other fields have.

/// The power of ten and the sign of a number, from fields before it.
struct NumberAdjustment: Sendable {
  let exponent: FieldExpression?
  let negative: FieldExpression?

  /// The largest power of ten.
  private static let most: UInt128 = 15

  private func power(
    _ field: String, at octet: Int, _ scope: FieldScope
  ) throws(ValueError) -> Int {
    guard let exponent else { return 0 }
    let result: DecodedValue
    do {
      result = try exponent.value(in: scope)
    } catch {
      throw ValueError(field: field, octet: octet, problem: "\(error)", isOutOfRange: true)
    }
    guard case .integer(let power) = result, power.magnitude <= Self.most else {
      throw ValueError(
        field: field, octet: octet, problem: "the exponent is \(result)", isOutOfRange: true
      )
    }
    return Int(power)
  }

  private func isNegative(
    _ field: String, at octet: Int, _ scope: FieldScope
  ) throws(ValueError) -> Bool {
    guard let negative else { return false }
    do {
      return try negative.holds(in: scope)
    } catch {
      throw ValueError(field: field, octet: octet, problem: "\(error)", isOutOfRange: true)
    }
  }

  /// The quantity of a number. One that is a text stays as it is.
  func applied(
    to value: DecodedValue, _ field: String, at octet: Int, _ scope: FieldScope?
  ) throws(ValueError) -> DecodedValue {
    let scope = scope ?? FieldScope(inside: nil)
    let power = try power(field, at: octet, scope)
    let isNegative = try isNegative(field, at: octet, scope)
    guard let number = value.number else { return value }
    if case .integer(let whole) = value, power == 0 { return .integer(isNegative ? -whole : whole) }
    let decimals = if case .real(_, let decimals) = value { decimals } else { 0 }
    let scaled = MedicalFloat.scaled(number, by: power)
    return .real(isNegative ? 0 - scaled : scaled, decimals: max(0, decimals - power))
  }

  /// The number that has a quantity.
  func removed(
    from value: DecodedValue, _ field: String, _ scope: FieldScope?
  ) throws(ValueError) -> DecodedValue {
    let scope = scope ?? FieldScope(inside: nil)
    guard let given = value.numeric, let number = given.number else { return value }
    let power = try power(field, at: 0, scope)
    let isNegative = try isNegative(field, at: 0, scope)
    guard number == 0 || !isNegative || number < 0 else {
      throw ValueError(field: field, octet: 0, problem: "\(value) is not negative")
    }
    let scaled = MedicalFloat.scaled(isNegative ? 0 - number : number, by: -power)
    return .real(scaled, decimals: 0)
  }
}
