// Counters that a device sends along: do they go on by one?

/// What is expected of a counter from value to value.
///
/// The values are those of one step as it is written: where it stands in a `repeat`, those of all
/// turns, unless ``isOfEachTurn``.
public struct CounterRule: Hashable, Sendable, CustomStringConvertible {
  /// After how many bits it begins again at 0: 8, 16 or 32; nil: never.
  public var bits: Int?
  /// How many values may be missing in all.
  public var gaps: Int
  /// Whether a step that is repeated begins anew in each turn, with the counter and with ``gaps``.
  public var isOfEachTurn: Bool

  public static let widths = [8, 16, 32]

  public init(bits: Int?, gaps: Int = 0, isOfEachTurn: Bool = false) {
    self.bits = bits
    self.gaps = gaps
    self.isOfEachTurn = isOfEachTurn
  }

  /// How many values are missing between two; nil when the counter does not go on.
  ///
  /// A counter that falls by less than half of its range has not begun again, it has gone back.
  public func missing(from last: Int64, to next: Int64) -> Int? {
    var step = next.subtractingReportingOverflow(last).partialValue
    if let bits {
      let range = Int64(1) << Int64(bits)
      guard (0..<range).contains(last), (0..<range).contains(next) else { return nil }
      step = (step + range) % range
      guard step <= range / 2 else { return nil }
    }
    return step >= 1 ? Int(step - 1) : nil
  }

  /// In the one-line form: `counts 16 gaps 2 each-turn`.
  public var description: String {
    "counts" + (bits.map { " \($0)" } ?? "") + (gaps > 0 ? " gaps \(gaps)" : "")
      + (isOfEachTurn ? " each-turn" : "")
  }
}
