// A condition on the value of a step, and the failure if it is not met.

public import Bluetooth
import Documents
import RunEvents

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
    /// A function over all values: `sum(energy)`.
    indirect case total(Total)

    public var description: String {
      switch self {
      case .value: "value"
      case .field(let name): name
      case .format(let format): format.name
      case .count: "count"
      case .rate: "rate"
      case .measure(let measure): measure.rawValue
      case .total(let total): "\(total)"
      }
    }

    /// Whether the subject is part of the decoded value, not of its bytes or of a measure.
    var isOfDecodedValue: Bool {
      switch self {
      case .value, .field: true
      case .format, .count, .rate, .measure: false
      case .total(let total): total.part.isOfDecodedValue
      }
    }

    /// Whether the subject is about all values of a step together.
    var isOfWholeStream: Bool {
      switch self {
      case .value, .field, .format: false
      case .count, .rate, .measure, .total: true
      }
    }

    /// The value of the subject in one value of the step; nil if it has none.
    func value(in value: DecodedValue, octets: [UInt8]) -> DecodedValue? {
      switch self {
      case .value: value
      case .field(let name): value.field(at: name)?.value
      case .format(let format): try? format.decode(octets)
      case .count, .rate, .measure, .total: nil
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
  /// Expectations about all values together (`count`, `rate`, times, functions) pass.
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
      let value = try decode(octets, as: format)
      try check(value, shown: "\(value)", octets)
    case .count, .rate, .measure, .total: return
    }
  }

  /// Decodes the bytes of a value in the format of the subject.
  func decode(
    _ octets: [UInt8], as format: ValueFormat
  ) throws(ExpectationFailure) -> DecodedValue {
    do throws(ValueError) {
      return try format.decode(octets)
    } catch {
      throw failure("bytes that do not decode as \(format) (\(error.problem))", octets)
    }
  }

  /// The whole number that a counter rule follows; nil if the subject is not one.
  func number(in value: DecodedValue, octets: [UInt8]) -> Int128? {
    guard case .integer(let number)? = subject.value(in: value, octets: octets)?.only else {
      return nil
    }
    return number
  }

  /// Checks the number and the rate of all values of a step.
  ///
  /// Expectations about single values, times and functions pass.
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
    case .value, .field, .format, .measure, .total: return
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

  /// Checks the result of a function over all values.
  func check(_ total: ExpressionTotal, of part: Expectation.Subject) throws(ExpectationFailure) {
    let result: DecodedValue
    do throws(ExpressionFailure) {
      result = try total.value(shown: "\(part)")
    } catch {
      throw failure("\(error)", nil)
    }
    guard check.passes(result) else { throw failure("\(result)", nil) }
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
