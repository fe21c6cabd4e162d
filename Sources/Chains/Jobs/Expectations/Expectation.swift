// A condition on the value of a step, and the failure if it is not met.

public import Bluetooth
import Documents

/// A check of one aspect of a step's values.
public struct Expectation: Hashable, Sendable, CustomStringConvertible {
  /// The aspect to check.
  public enum Subject: Hashable, Sendable, CustomStringConvertible {
    /// The complete value.
    case value
    /// A field of the decoded value: `celsius`.
    case field(String)
    /// The received bytes, decoded in a format: `hex`, `utf8`, `u16be`.
    case format(ValueFormat)
    /// The number of values of the step.
    case count
    /// The number of values per second.
    case rate
    /// A time measured over all values.
    case measure(Measure)

    public var description: String {
      switch self {
      case .value: "value"
      case .field(let name): name
      case .format(let format): format.name
      case .count: "count"
      case .rate: "rate"
      case .measure(let measure): measure.rawValue
      }
    }

    /// Whether the subject is part of the decoded value, not of its bytes or of a measure.
    var isOfDecodedValue: Bool {
      switch self {
      case .value, .field: true
      case .format, .count, .rate, .measure: false
      }
    }

    /// Whether the subject is a time, which is compared with durations.
    var isTime: Bool { if case .measure = self { true } else { false } }
  }

  public let subject: Subject
  public let check: Check

  /// Creates an expectation about one subject.
  ///
  /// ```swift
  /// let expectation = Expectation(.field("celsius"), .between(10, 40))
  /// print(expectation)  // celsius in 10..40
  /// ```
  public init(_ subject: Subject, _ check: Check) {
    self.subject = subject
    self.check = check
  }

  /// The one-line form: `celsius in 10..40`.
  public var description: String {
    "\(subject) \(subject.isTime ? check.describingTime : check.description)"
  }

  /// Checks one value.
  ///
  /// Expectations about all values together (`count`, `rate`, times) pass.
  ///
  /// ```swift
  /// let level = try StepValue.decode([87], of: "battery-level", format: nil)
  /// try Expectation(.field("percent"), .atLeast(20)).check(level, octets: [87])
  /// ```
  ///
  /// - Throws: ``ExpectationFailure`` if the value does not pass.
  public func check(_ value: DecodedValue, octets: [UInt8]) throws(ExpectationFailure) {
    switch subject {
    case .value:
      try check(value, shown: "\(value)", octets)
    case .field(let name):
      guard let field = value.field(at: name) else {
        throw failure("a value without \(name)", octets)
      }
      try check(field.value, shown: field.quantity, octets)
    case .format(let format):
      do {
        let value = try format.decode(octets)
        try check(value, shown: "\(value)", octets)
      } catch let error as ValueError {
        throw failure("bytes that do not decode as \(format) (\(error.problem))", octets)
      } catch let error as ExpectationFailure {
        throw error
      } catch {
        throw failure("\(error)", octets)
      }
    case .count, .rate, .measure: return
    }
  }

  /// The whole number that a counter rule follows; nil if the subject is not one.
  func number(in value: DecodedValue, octets: [UInt8]) -> Int128? {
    let found: DecodedValue? =
      switch subject {
      case .value: value
      case .field(let name): value.field(at: name)?.value
      case .format(let format): try? format.decode(octets)
      case .count, .rate, .measure: nil
      }
    guard case .integer(let number)? = found?.only else { return nil }
    return number
  }

  /// Checks the number and the rate of all values of a step.
  ///
  /// Expectations about single values and times pass.
  ///
  /// ```swift
  /// try Expectation(.rate, .atLeast(0.9)).check(count: 10, rate: 0.98)
  /// ```
  ///
  /// - Parameters:
  ///   - count: The number of values.
  ///   - rate: The number of values per second.
  /// - Throws: ``ExpectationFailure`` if the number or the rate does not pass.
  public func check(count: Int, rate: Double) throws(ExpectationFailure) {
    let measured: DecodedValue
    switch subject {
    case .count: measured = .integer(Int128(count))
    case .rate: measured = .real(rate, decimals: 2)
    case .value, .field, .format, .measure: return
    }
    guard !check.passes(measured) else { return }
    let unit = subject == .rate ? " a second" : count == 1 ? " value" : " values"
    throw failure("\(measured)\(unit)", nil)
  }

  /// Checks a time measured over all values; a nil time, which could not be measured, fails.
  func check(_ time: Duration?, of measure: Measure) throws(ExpectationFailure) {
    guard subject == .measure(measure) else { return }
    guard let time else { throw failure(measure.absence, nil) }
    guard check.passes(time.milliseconds) else { throw failure(time.written, nil) }
  }

  private func check(
    _ value: DecodedValue, shown: String, _ octets: [UInt8]
  ) throws(ExpectationFailure) {
    guard check.passes(value) else { throw failure(shown, octets) }
  }

  func failure(_ got: String, _ octets: [UInt8]?) -> ExpectationFailure {
    ExpectationFailure(expected: description, got: got, octets: octets)
  }
}

extension [Expectation] {
  /// Whether a value meets all of them.
  func areMet(by value: DecodedValue, octets: [UInt8]) -> Bool {
    allSatisfy { (try? $0.check(value, octets: octets)) != nil }
  }
}

/// A value that does not meet an expectation.
public struct ExpectationFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The expectation: `celsius in 10..40`.
  public let expected: String
  /// The received value: `41.2 °C`.
  public let got: String
  /// The bytes that the device sent; nil for a check of many values, empty for a value without
  /// bytes.
  public let octets: [UInt8]?

  public init(expected: String, got: String, octets: [UInt8]?) {
    self.expected = expected
    self.got = got
    self.octets = octets
  }

  public var description: String { "expected \(expected), got \(received)" }

  /// The received value, with its bytes unless they are the value.
  var received: String {
    guard let octets, !octets.isEmpty else { return got }
    let bytes = DecodedValue.octets(octets).description
    return got == bytes ? got : "\(got) (bytes \(bytes))"
  }
}
