// The state of a step's expectations while it receives values.

import Bluetooth

/// The state of one counter: its last value, and the number of missing values.
struct CounterProgress {
  fileprivate var last: Int128
  fileprivate var missing = 0
}

/// A check of a stream of values, in order; counters are compared with their previous value.
struct ExpectationProgress {
  private let expectations: [Expectation]
  /// The counters, by the index of their expectation.
  private(set) var counters: [Int: CounterProgress]

  /// - Parameter counters: The counters at the end of the previous repetition; nil for the first.
  init(_ expectations: [Expectation], counters: [Int: CounterProgress]? = nil) {
    self.expectations = expectations
    self.counters = counters ?? [:]
  }

  /// Checks a value.
  ///
  /// - Parameter octets: Returns the bytes that the device sent for a subject.
  mutating func check(
    _ value: DecodedValue, _ octets: (Expectation.Subject) -> [UInt8]
  ) throws(ExpectationFailure) {
    for index in expectations.indices {
      let expectation = expectations[index]
      let octets = octets(expectation.subject)
      try expectation.check(value, octets: octets)
      guard let rule = expectation.check.counter else { continue }
      try count(index, rule, expectation, value, octets)
    }
  }

  mutating func check(_ value: DecodedValue, octets: [UInt8]) throws(ExpectationFailure) {
    try check(value) { _ in octets }
  }

  private mutating func count(
    _ index: Int, _ rule: CounterRule, _ expectation: Expectation, _ value: DecodedValue,
    _ octets: [UInt8]
  ) throws(ExpectationFailure) {
    guard let next = expectation.number(in: value, octets: octets) else { return }
    guard var counter = counters[index] else {
      counters[index] = CounterProgress(last: next)
      return
    }
    let before = counter.last
    counter.last = next
    defer { counters[index] = counter }
    guard let gap = rule.missing(from: before, to: next) else {
      throw expectation.failure("\(next) after \(before)", octets)
    }
    let (sum, isTooLarge) = counter.missing.addingReportingOverflow(gap)
    counter.missing = isTooLarge ? .max : sum
    guard counter.missing > rule.gaps else { return }
    let values = counted(counter.missing, "value")
    throw expectation.failure("\(next) after \(before): \(values) missing", octets)
  }

  func check(_ measures: StreamMeasures, rate: Double) throws(ExpectationFailure) {
    for expectation in expectations {
      if case .measure(let measure) = expectation.subject {
        try expectation.check(measures[measure], of: measure)
      } else {
        try expectation.check(count: measures.count, rate: rate)
      }
    }
  }
}
