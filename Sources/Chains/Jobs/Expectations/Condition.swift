// The condition of a `when` or an `assert`.

public import Bluetooth

/// Checks of captured values; all of them must pass.
public struct Condition: Hashable, Sendable, CustomStringConvertible {
  /// One check of one captured value.
  public struct Test: Hashable, Sendable, CustomStringConvertible {
    /// The captured value, or the field of one.
    public let path: VariablePath
    /// What the value must be.
    public let check: Check

    /// A check of one captured value.
    public init(_ path: VariablePath, _ check: Check) {
      self.path = path
      self.check = check
    }

    public var description: String { "\(path) \(check)" }
  }

  /// All of them must pass.
  public let tests: [Test]

  /// A condition that holds when all tests pass.
  ///
  /// ``Step/when(_:_:file:line:_:otherwise:)`` makes one with a single test.
  ///
  /// ```swift
  /// let path = VariablePath("battery.percent")!
  /// let steps = [try Step.log("between 20 and 95 percent")]
  /// let condition = Condition([.init(path, .atLeast(20)), .init(path, .below(95))])
  /// let step = Step(.when(WhenStep(condition, steps)))
  /// ```
  public init(_ tests: [Test]) {
    self.tests = tests
  }

  /// The first test that fails; nil when the condition holds.
  ///
  /// A value that was not captured, because its step did not run, fails every test.
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

  public var description: String { tests.map(\.description).joined(separator: " and ") }
}
