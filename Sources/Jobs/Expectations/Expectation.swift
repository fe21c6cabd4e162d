// What must hold of a step's value, and what is said when it does not.

public import Bluetooth

/// A check of one aspect of a step's values.
public struct Expectation: Hashable, Sendable, CustomStringConvertible {
  /// What is looked at.
  public enum Subject: Hashable, Sendable, CustomStringConvertible {
    /// The whole value.
    case value
    /// A field of the decoded value: `celsius`.
    case field(String)
    /// The octets, understood in a format: `hex`, `utf8`, `u16be`.
    case format(ValueFormat)
    /// How many values a `notify` step got.
    case count
    /// How many a second.
    case rate

    public var description: String {
      switch self {
      case .value: "value"
      case .field(let name): name
      case .format(let format): format.name
      case .count: "count"
      case .rate: "rate"
      }
    }
  }

  public let subject: Subject
  public let check: Check

  public init(_ subject: Subject, _ check: Check) {
    self.subject = subject
    self.check = check
  }

  /// In the one-line form: `celsius in 10..40`.
  public var description: String { "\(subject) \(check)" }

  /// Checks one value.
  ///
  /// - Throws: ``ExpectationFailure`` when it is not as expected. Expectations of all values are
  ///   passed over.
  public func check(_ value: DecodedValue, octets: [UInt8]) throws(ExpectationFailure) {
    switch subject {
    case .value:
      try check(value, shown: "\(value)", octets)
    case .field(let name):
      guard case .fields(let fields) = value, let field = fields.first(where: { $0.name == name })
      else { throw failure("a value without \(name)", octets) }
      try check(field.value, shown: Self.shown(field), octets)
    case .format(let format):
      do {
        let value = try format.decode(octets)
        try check(value, shown: "\(value)", octets)
      } catch let error as ValueError {
        throw failure("octets that are no \(format) (\(error.problem))", octets)
      } catch let error as ExpectationFailure {
        throw error
      } catch {
        throw failure("\(error)", octets)
      }
    case .count, .rate: return
    }
  }

  /// Checks what is measured over all values of a step.
  ///
  /// - Parameters:
  ///   - count: How many there were.
  ///   - rate: How many a second.
  public func check(count: Int, rate: Double) throws(ExpectationFailure) {
    let measured: DecodedValue
    switch subject {
    case .count: measured = .integer(Int64(count))
    case .rate: measured = .real(rate, decimals: 2)
    case .value, .field, .format: return
    }
    guard !check.passes(measured) else { return }
    let unit = subject == .rate ? " a second" : count == 1 ? " value" : " values"
    throw failure("\(measured)\(unit)", nil)
  }

  private func check(
    _ value: DecodedValue,
    shown: String,
    _ octets: [UInt8]
  ) throws(ExpectationFailure) {
    guard check.passes(value) else { throw failure(shown, octets) }
  }

  private func failure(_ got: String, _ octets: [UInt8]?) -> ExpectationFailure {
    ExpectationFailure(expected: description, got: got, octets: octets)
  }

  private static func shown(_ field: DecodedValue.Field) -> String {
    field.unit.map { "\(field.value) \($0)" } ?? "\(field.value)"
  }
}

/// A value that is not as expected.
public struct ExpectationFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// `celsius in 10..40`.
  public let expected: String
  /// `41.2 °C`.
  public let got: String
  /// What the device sent; nil where many values were looked at, empty for what has no octets.
  public let octets: [UInt8]?

  public init(expected: String, got: String, octets: [UInt8]?) {
    self.expected = expected
    self.got = got
    self.octets = octets
  }

  public var description: String {
    guard let octets, !octets.isEmpty else { return "expected \(expected), got \(got)" }
    let raw = " (octets \(DecodedValue.octets(octets)))"
    return "expected \(expected), got \(got)\(raw)"
  }
}
