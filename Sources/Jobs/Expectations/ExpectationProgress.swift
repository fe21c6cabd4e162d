// The expectations of one step while its values come.

import Bluetooth

/// Checks values in order: a counter is held against the value before.
struct ExpectationProgress {
  private let expectations: [Expectation]
  private var last: [Int64?]
  private var missing: [Int]

  init(_ expectations: [Expectation]) {
    self.expectations = expectations
    last = expectations.map { _ in nil }
    missing = expectations.map { _ in 0 }
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
    defer { last[index] = next }
    guard let before = last[index] else { return }
    guard let gap = rule.missing(from: before, to: next) else {
      throw expectation.failure("\(next) after \(before)", octets)
    }
    missing[index] += gap
    guard missing[index] > rule.gaps else { return }
    let values = missing[index] == 1 ? "1 value missing" : "\(missing[index]) values missing"
    throw expectation.failure("\(next) after \(before): \(values)", octets)
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
