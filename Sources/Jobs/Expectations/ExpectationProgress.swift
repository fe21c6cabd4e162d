// The expectations of one step while it receives values.

import Bluetooth

/// Checks values in order; a counter is compared with the previous value.
struct ExpectationProgress {
  private let expectations: [Expectation]
  private(set) var counters: CounterProgress

  /// - Parameter counters: The counters at the end of the previous repetition; nil for the first.
  init(_ expectations: [Expectation], counters: CounterProgress? = nil) {
    self.expectations = expectations
    self.counters = counters ?? CounterProgress(expectations)
  }

  /// Checks a value.
  ///
  /// - Parameter octets: The octets that the device sent for a subject.
  mutating func check(
    _ value: DecodedValue,
    _ octets: (Expectation.Subject) -> [UInt8]
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
    _ index: Int,
    _ rule: CounterRule,
    _ expectation: Expectation,
    _ value: DecodedValue,
    _ octets: [UInt8]
  ) throws(ExpectationFailure) {
    guard let next = expectation.number(in: value, octets: octets) else { return }
    switch counters.take(next, at: index, rule) {
    case .ok: return
    case .back(let before): throw expectation.failure("\(next) after \(before)", octets)
    case .gap(let before, let missing):
      let values = counted(missing, "value")
      throw expectation.failure("\(next) after \(before): \(values) missing", octets)
    }
  }

  /// Checks the measures over all values.
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
