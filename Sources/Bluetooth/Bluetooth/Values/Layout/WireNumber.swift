// Numbers in steps: how an integer in a value represents a quantity.

/// An integer of some octets that counts steps of a quantity.
///
/// The GATT Specification Supplement writes the step as `M × 10^d × 2^b`; here it is the fraction
/// `step / over`, which keeps decimals exact.
///
/// - Source: GATT Specification Supplement, §2.2.1 (scalar values).
struct WireNumber: Sendable {
  let octets: Int
  let isSigned: Bool
  private let step: Int128
  private let over: Int128
  /// Numbers on the wire that are not quantities, and their meanings: "unknown".
  private let meanings: [(raw: Int128, text: String)]

  init(
    _ octets: Int, signed: Bool = false, step: Int64 = 1, over: Int64 = 1,
    meanings: KeyValuePairs<Int64, String> = [:]
  ) {
    self.octets = octets
    isSigned = signed
    self.step = Int128(step)
    self.over = Int128(over)
    self.meanings = meanings.map { (Int128($0.key), $0.value) }
  }

  /// Whether every step is a whole number.
  var isWhole: Bool { over == 1 }

  /// Whether some numbers on the wire are not quantities.
  var hasMeanings: Bool { !meanings.isEmpty }

  /// The number of decimals that shows every step, at most three unless the steps are decimal.
  private var decimals: Int {
    let digits = "\(over)"
    if step == 1, digits.dropFirst().allSatisfy({ $0 == "0" }), digits.first == "1" {
      return digits.utf8.count - 1
    }
    var power: Int128 = 1
    for count in 0..<3 {
      if (step * power).isMultiple(of: over) { return count }
      power *= 10
    }
    return 3
  }

  /// Decodes an integer.
  func value(_ bits: UInt64) -> DecodedValue {
    let shift = UInt64(64 - 8 * octets)
    let raw = isSigned ? Int128(Int64(bitPattern: bits << shift) >> Int64(shift)) : Int128(bits)
    if let meaning = meanings.first(where: { $0.raw == raw }) { return .text(meaning.text) }
    return quantity(raw)
  }

  private func quantity(_ raw: Int128) -> DecodedValue {
    guard over > 1 else { return .integer(raw * step) }
    return .real(Double(raw) * Double(step) / Double(over), decimals: decimals)
  }

  /// The octets of a value, as an integer.
  ///
  /// - Throws: ``ValueError`` when it is not a number, or out of range.
  func bits(_ value: DecodedValue, _ field: String) throws(ValueError) -> UInt64 {
    func problem(_ text: String) -> ValueError {
      ValueError(field: field, octet: 0, problem: text)
    }
    let raw: Int128
    switch value {
    case .integer(let number) where over == 1 && step == 1: raw = number
    case .integer, .real:
      let steps = (value.number ?? .nan) * Double(over) / Double(step)
      guard let exact = Int128(exactly: steps.rounded()) else {
        throw problem("\(value) cannot be sent")
      }
      raw = exact
    case .text, .boolean, .octets, .list, .fields:
      guard let meaning = meanings.first(where: { $0.text == value.description }) else {
        throw problem("'\(value)' is not a number")
      }
      return UInt64(truncatingIfNeeded: meaning.raw)
    }
    guard range.contains(raw) else {
      let ends = (quantity(range.lowerBound), quantity(range.upperBound))
      throw problem("\(value) is not in \(ends.0) to \(ends.1)")
    }
    return UInt64(truncatingIfNeeded: raw)
  }

  /// The quantities that can be sent.
  var quantities: ClosedRange<Double> {
    func quantity(_ raw: Int128) -> Double { Double(raw) * Double(step) / Double(over) }
    return quantity(range.lowerBound)...quantity(range.upperBound)
  }

  /// The raw numbers that are quantities. Numbers with a special meaning are at the ends.
  private var range: ClosedRange<Int128> {
    let bits = Int128(8 * octets)
    var low: Int128 = isSigned ? -(1 << (bits - 1)) : 0
    var high: Int128 = (1 << (isSigned ? bits - 1 : bits)) - 1
    while meanings.contains(where: { $0.raw == low }) { low += 1 }
    while meanings.contains(where: { $0.raw == high }) { high -= 1 }
    return low...high
  }
}
