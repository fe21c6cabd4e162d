// Where the counters of a step are, from value to value.

/// The last value of each counter that a step's expectations look at, and how many are missing.
struct CounterProgress {
  private let isOfEachTurn: [Bool]
  private var last: [Int64?]
  private var missing: [Int]

  /// - Parameter expectations: Those of the step; ``take(_:at:_:)`` names them by their index.
  init(_ expectations: [Expectation]) {
    isOfEachTurn = expectations.map { $0.check.counter?.isOfEachTurn ?? true }
    last = expectations.map { _ in nil }
    missing = expectations.map { _ in 0 }
  }

  /// What became of the next value of a counter.
  enum Verdict {
    /// It goes on, or is the first.
    case ok
    /// It does not go on after this one.
    case back(after: Int64)
    /// More are missing in all than may be; after this one.
    case gap(after: Int64, missing: Int)
  }

  /// Takes the next value of the counter that an expectation looks at.
  mutating func take(_ next: Int64, at index: Int, _ rule: CounterRule) -> Verdict {
    defer { last[index] = next }
    guard let before = last[index] else { return .ok }
    guard let gap = rule.missing(from: before, to: next) else { return .back(after: before) }
    missing[index] += gap
    return missing[index] > rule.gaps ? .gap(after: before, missing: missing[index]) : .ok
  }

  /// Whether there is something that another turn of a `repeat` goes on with.
  var goesOn: Bool { isOfEachTurn.contains(false) }

  /// What the next turn begins with.
  var ofNextTurn: CounterProgress {
    var next = self
    for (index, isAnew) in isOfEachTurn.enumerated() where isAnew {
      next.last[index] = nil
      next.missing[index] = 0
    }
    return next
  }
}
