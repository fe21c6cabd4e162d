// The state of the counters of a step, from value to value.

/// The last value of each counter in a step's expectations, and how many values are missing.
struct CounterProgress {
  private var last: [Int128?]
  private var missing: [Int]

  /// - Parameter expectations: The expectations of the step; ``take(_:at:_:)`` uses their indices.
  init(_ expectations: [Expectation]) {
    last = expectations.map { _ in nil }
    missing = expectations.map { _ in 0 }
  }

  /// The result for the next value of a counter.
  enum Verdict {
    /// It increased by one, or within the allowed gaps, or is the first.
    case ok
    /// It did not increase from this value.
    case back(after: Int128)
    /// More values are missing in total than allowed; the last value was this one.
    case gap(after: Int128, missing: Int)
  }

  /// Adds the next value of the counter of an expectation.
  mutating func take(_ next: Int128, at index: Int, _ rule: CounterRule) -> Verdict {
    defer { last[index] = next }
    guard let before = last[index] else { return .ok }
    guard let gap = rule.missing(from: before, to: next) else { return .back(after: before) }
    let (sum, isTooLarge) = missing[index].addingReportingOverflow(gap)
    missing[index] = isTooLarge ? .max : sum
    return missing[index] > rule.gaps ? .gap(after: before, missing: missing[index]) : .ok
  }
}
