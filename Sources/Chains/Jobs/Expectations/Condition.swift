// The condition of a `when` or an `assert` step.
//
// Conditions on the value of a step itself are in Expectation.swift.

public import Bluetooth
import RunEvents

/// Tests of captured values; all of them must pass.
public struct Condition: Hashable, Sendable, CustomStringConvertible {
  /// A check of one captured value.
  public struct Test: Hashable, Sendable, CustomStringConvertible {
    /// The captured value, or a field of one.
    public let path: VariablePath
    public let check: Check

    public init(_ path: VariablePath, _ check: Check) {
      self.path = path
      self.check = check
    }

    public var description: String { "\(path) \(check)" }
  }

  public let tests: [Test]
  /// A calculation that must hold; nil for tests.
  let calculation: Calculation?

  /// Creates a condition that holds if all tests pass.
  ///
  /// ``Step/when(_:_:file:line:_:otherwise:)`` creates one with a single test.
  ///
  /// ```swift
  /// let path = VariablePath("battery.percent")!
  /// let steps = [try Step.log("between 20 and 95 percent")]
  /// let condition = Condition([.init(path, .atLeast(20)), .init(path, .below(95))])
  /// let step = Step(.when(WhenStep(condition, steps)))
  /// ```
  public init(_ tests: [Test]) {
    self.tests = tests
    calculation = nil
  }

  /// Creates a condition that holds if a calculation does.
  ///
  /// ```swift
  /// let condition = Condition(try Calculation("battery.percent * 2 >= 40"))
  /// let steps = [try Step.log("enough")]
  /// let step = Step(.when(WhenStep(condition, steps)))
  /// ```
  public init(_ calculation: Calculation) {
    tests = []
    self.calculation = calculation
  }

  /// The captured values that it compares or calculates with.
  var paths: [VariablePath] {
    tests.map(\.path) + tests.flatMap(\.check.references) + (calculation?.paths ?? [])
  }

  /// Returns why it does not hold; nil if it does.
  ///
  /// - Throws: ``ExpressionFailure`` for a calculation without a result.
  func unmet(
    _ value: (VariablePath) -> DecodedValue?
  ) throws(ExpressionFailure) -> ExpectationFailure? {
    if let calculation {
      do throws(ExpressionFailure) {
        if try calculation.holds(value) { return nil }
      } catch .missing {
        // A value whose step did not run passes no condition.
      }
      let got = calculation.shown(value)
      return ExpectationFailure(expected: "\(calculation)", got: got, octets: [])
    }
    guard let test = firstUnmet(value) else { return nil }
    let found = value(test.path).map { "\($0)" } ?? "no captured value"
    return ExpectationFailure(expected: "\(test)", got: found, octets: [])
  }

  /// Returns the first test that fails; nil if all pass, and for a calculation.
  ///
  /// A missing value, whose step did not run, fails every test.
  ///
  /// ```swift
  /// let report = try await plan.run(on: sensor)
  /// for case .when(let when) in plan.steps.map(\.action) {
  ///   if let unmet = when.condition.firstUnmet({ report.captured[$0.variable] }) { print(unmet) }
  /// }
  /// ```
  public func firstUnmet(_ value: (VariablePath) -> DecodedValue?) -> Test? {
    tests.first { test in !(value(test.path).map(test.check.passes) ?? false) }
  }

  public var description: String {
    calculation.map { "(\($0))" } ?? tests.map(\.description).joined(separator: " and ")
  }
}
