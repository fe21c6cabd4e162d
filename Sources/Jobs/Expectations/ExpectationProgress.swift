// The expectations of one step while its values come.

import Bluetooth

/// Checks values in order: a counter is held against the value before.
struct ExpectationProgress {
  private let expectations: [Expectation]
  private(set) var counters: CounterProgress

  /// - Parameter counters: Where the counters were at the end of the turn before; nil for the first.
  init(_ expectations: [Expectation], counters: CounterProgress? = nil) {
    self.expectations = expectations
    self.counters = counters ?? CounterProgress(expectations)
  }

  /// Checks a value.
  ///
  /// - Parameter octets: What the device sent, of the field of that name where there are several.
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

  /// Checks what was measured over all values.
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
