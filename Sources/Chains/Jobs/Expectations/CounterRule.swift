// A rule for counters in the values of a device, which reveal lost values.

/// A rule for a counter that increases by one with each value.
///
/// It covers the values of one written step; inside a `repeat`, those of all repetitions.
public struct CounterRule: Hashable, Sendable, CustomStringConvertible {
  /// The width after which the counter wraps to 0: 8, 16 or 32 bits; nil if it does not wrap.
  public var bits: Int?
  /// The total number of values that may be missing.
  public var gaps: Int
  /// The width of a described field, after which its counter wraps unless ``bits`` says otherwise;
  /// nil for others.
  var fieldBits: Int?

  /// The valid widths, in bits.
  public static let widths = [8, 16, 32]
  /// The largest ``gaps`` that a chain may set.
  static let mostGaps = 1_000_000

  /// Creates a rule for a counter that increases by one with each value.
  ///
  /// ```swift
  /// try Step.notify("3f0e0002-4b1d-4d5e-9a57-0b3c2f1a9d77", count: 100, format: "u16")
  ///   .expect("value", .counts(CounterRule(bits: 16, gaps: 2)))
  /// ```
  public init(bits: Int?, gaps: Int = 0) {
    self.bits = bits
    self.gaps = gaps
  }

  /// Returns the number of values missing between two counter values; nil if the counter did not
  /// increase.
  ///
  /// A wrapping counter that falls by less than half of its range counts as decreased, not as
  /// wrapped.
  ///
  /// ```swift
  /// print(CounterRule(bits: 8).missing(from: 254, to: 1) ?? -1)  // 2: 255 and 0
  /// ```
  public func missing(from last: Int128, to next: Int128) -> Int? {
    var step = next.subtractingReportingOverflow(last).partialValue
    if let bits = bits ?? fieldBits {
      let range = Int128(1) << Int128(bits)
      guard (0..<range).contains(last), (0..<range).contains(next) else { return nil }
      step = (step + range) % range
      guard step <= range / 2 else { return nil }
    }
    return step >= 1 ? Int(clamping: step - 1) : nil
  }

  /// The one-line form: `counts 16 gaps 2`.
  public var description: String {
    "counts" + (bits.map { " \($0)" } ?? "") + (gaps > 0 ? " gaps \(gaps)" : "")
  }
}
