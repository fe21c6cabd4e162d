// Numbers in steps: how a whole number in a value stands for a quantity.

/// A whole number of octets that counts steps of a quantity.
///
/// The GATT Specification Supplement writes the step as `M × 10^d × 2^b`; here it is the fraction
/// `step / over`, which keeps decimals what they are.
///
/// - Source: GATT Specification Supplement, §2.2.1 (scalar values).
struct WireNumber: Sendable {
  let octets: Int
  let isSigned: Bool
  private let step: Int64
  private let over: Int64
  /// Numbers on the wire that are no quantity, and what they mean: "unknown".
  private let meanings: [(raw: Int64, text: String)]

  init(
    _ octets: Int,
    signed: Bool = false,
    step: Int64 = 1,
    over: Int64 = 1,
    meanings: KeyValuePairs<Int64, String> = [:]
  ) {
    self.octets = octets
    isSigned = signed
    self.step = step
    self.over = over
    self.meanings = meanings.map { ($0.key, $0.value) }
  }

  /// How many decimals show every step; three for steps that are no decimal fraction.
  private var decimals: Int {
    var power: Int64 = 1
    for count in 0...6 {
      if (step * power).isMultiple(of: over) { return count }
      power *= 10
    }
    return 3
  }

  /// The value of octets as read.
  func value(_ bits: UInt64) -> DecodedValue {
    let shift = UInt64(64 - 8 * octets)
    let raw = isSigned ? Int64(bitPattern: bits << shift) >> Int64(shift) : Int64(clamping: bits)
    if let meaning = meanings.first(where: { $0.raw == raw }) { return .text(meaning.text) }
    guard over > 1 else { return .integer(raw * step) }
    return .real(Double(raw) * Double(step) / Double(over), decimals: decimals)
  }

  /// The octets of a value, as a number.
  ///
  /// - Throws: ``ValueError`` when it is no number, or there is no room for it.
  func bits(_ value: DecodedValue, _ field: String) throws(ValueError) -> UInt64 {
    func problem(_ text: String) -> ValueError {
      ValueError(field: field, octet: 0, problem: text)
    }
    let raw: Int64
    switch value {
    case .integer(let number) where over == 1 && step == 1: raw = number
    case .integer, .real:
      let steps = (value.number ?? .nan) * Double(over) / Double(step)
      guard let exact = Int64(exactly: steps.rounded()) else {
        throw problem("\(value) cannot be sent")
      }
      raw = exact
    default:
      guard let meaning = meanings.first(where: { $0.text == value.description }) else {
        throw problem("'\(value)' is no number")
      }
      return UInt64(bitPattern: meaning.raw)
    }
    guard range.contains(raw) else {
      throw problem("\(value) is not in \(self.value(lowest)) to \(self.value(highest))")
    }
    return UInt64(bitPattern: raw)
  }

  private var range: ClosedRange<Int64> {
    let bits = Int64(8 * octets)
    if isSigned { return octets == 8 ? .min ... .max : -(1 << (bits - 1))...(1 << (bits - 1)) - 1 }
    return 0...(octets == 8 ? .max : (1 << bits) - 1)
  }

  private var lowest: UInt64 { UInt64(bitPattern: range.lowerBound) }
  private var highest: UInt64 { UInt64(bitPattern: range.upperBound) }
}
