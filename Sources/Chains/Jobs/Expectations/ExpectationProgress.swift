// The state of a step's expectations while it receives values.

import Bluetooth
import RunEvents

/// The state of one counter: its last value, and the number of missing values.
struct CounterProgress {
  fileprivate var last: Int128
  fileprivate var missing = 0
}

/// A check of a stream of values, in order; counters are compared with their previous value, and
/// functions over all values add each one.
struct ExpectationProgress {
  private let expectations: [Expectation]
  /// The counters, by the index of their expectation.
  private(set) var counters: [Int: CounterProgress]
  /// The functions over all values so far, by the index of their expectation.
  private var totals: [Int: ExpressionTotal] = [:]

  /// - Parameter counters: The counters at the end of the previous repetition; nil for the first.
  init(_ expectations: [Expectation], counters: [Int: CounterProgress]? = nil) {
    self.expectations = expectations
    self.counters = counters ?? [:]
    for (index, expectation) in expectations.enumerated() {
      if case .total(let total) = expectation.subject { totals[index] = total.beginning }
    }
  }

  /// Checks a value.
  ///
  /// - Parameter octets: Returns the bytes that the device sent for a subject.
  mutating func check(
    _ value: DecodedValue, _ octets: (Expectation.Subject) -> [UInt8]
  ) throws(ExpectationFailure) {
    for index in expectations.indices {
      let expectation = expectations[index]
      if case .total(let total) = expectation.subject {
        try add(value, octets(total.part), to: total, index)
        continue
      }
      let octets = octets(expectation.subject)
      try expectation.check(value, octets: octets)
      guard let rule = expectation.check.counter else { continue }
      try count(index, rule, expectation, value, octets)
    }
  }

  mutating func check(_ value: DecodedValue, octets: [UInt8]) throws(ExpectationFailure) {
    try check(value) { _ in octets }
  }

  private mutating func add(
    _ value: DecodedValue, _ octets: [UInt8], to total: Total, _ index: Int
  ) throws(ExpectationFailure) {
    var found = total.part.value(in: value, octets: octets)
    if found == nil, case .format(let format) = total.part {
      found = try expectations[index].decode(octets, as: format)
    }
    for part in found.map(total.values) ?? [] {
      do throws(ExpressionFailure) {
        try totals[index]?.add(part, shown: "\(total.part)")
      } catch {
        throw expectations[index].failure("\(error)", octets)
      }
    }
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
    for (index, expectation) in expectations.enumerated() {
      if case .total(let total) = expectation.subject {
        try expectation.check(totals[index] ?? total.beginning, of: total.part)
      } else if case .measure(let measure) = expectation.subject {
        try expectation.check(measures[measure], of: measure)
      } else {
        try expectation.check(count: measures.count, rate: rate)
      }
    }
  }
}
