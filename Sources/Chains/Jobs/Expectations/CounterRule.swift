// Counters that a device sends with its values.

/// A rule for a counter that increases by one from value to value.
///
/// The values are those of one written step: inside a `repeat` those of all repetitions.
public struct CounterRule: Hashable, Sendable, CustomStringConvertible {
  /// The width after which the counter wraps to 0: 8, 16 or 32 bits; nil: it does not wrap.
  public var bits: Int?
  /// How many values may be missing in total.
  public var gaps: Int

  /// The widths that a counter may have, in bits.
  public static let widths = [8, 16, 32]
  /// The maximum number of missing values that a chain may allow.
  static let mostGaps = 1_000_000

  /// A counter that increases by one from value to value.
  ///
  /// ```swift
  /// try Step.notify("3f0e0002-4b1d-4d5e-9a57-0b3c2f1a9d77", count: 100, format: "u16")
  ///   .expect("value", .counts(CounterRule(bits: 16, gaps: 2)))
  /// ```
  public init(bits: Int?, gaps: Int = 0) {
    self.bits = bits
    self.gaps = gaps
  }

  /// The number of values missing between two; nil when the counter did not increase.
  ///
  /// A counter that decreases by less than half of its range has not wrapped: it went back.
  ///
  /// ```swift
  /// print(CounterRule(bits: 8).missing(from: 254, to: 1) ?? -1)  // 2: 255 and 0
  /// ```
  public func missing(from last: Int128, to next: Int128) -> Int? {
    var step = next.subtractingReportingOverflow(last).partialValue
    if let bits {
      let range = Int128(1) << Int128(bits)
      guard (0..<range).contains(last), (0..<range).contains(next) else { return nil }
      step = (step + range) % range
      guard step <= range / 2 else { return nil }
    }
    return step >= 1 ? Int(clamping: step - 1) : nil
  }

  /// In the one-line form: `counts 16 gaps 2`.
  public var description: String {
    "counts" + (bits.map { " \($0)" } ?? "") + (gaps > 0 ? " gaps \(gaps)" : "")
  }
}
