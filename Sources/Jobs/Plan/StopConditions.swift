// When a step with many values stops.

/// What ends a `notify`, a `poll` or a `combine`: whichever comes first.
public struct StopConditions: Hashable, Sendable {
  /// What happens at a value that does not match its format.
  public enum InvalidValueRule: String, Hashable, Sendable, CaseIterable {
    /// The step fails.
    case fail
    /// The value is reported with its bytes alone, and the step goes on.
    case report
  }

  /// Stop after this number of values.
  public var count: Int?
  /// Stop after this time. The step succeeds.
  public var duration: Duration?
  /// Stop after this time without a value.
  public var silence: Duration?
  /// Stop at a value that meets all of these conditions.
  public var conditions: [Expectation]
  /// What happens at a value that does not match its format; nil: it is reported where the step has a
  /// duration and no expectations, and otherwise the step fails.
  public var onInvalid: InvalidValueRule?

  /// Stop at the first that is met; nil means none.
  ///
  /// The first that is met ends the step, which is then ok. When the timeout of the step passes
  /// first, it fails.
  ///
  /// ```swift
  /// let stop = StopConditions(count: 100, silence: .seconds(2))
  /// ```
  public init(
    count: Int? = nil,
    duration: Duration? = nil,
    silence: Duration? = nil,
    conditions: [Expectation] = []
  ) {
    self.count = count
    self.duration = duration
    self.silence = silence
    self.conditions = conditions
  }
}

extension StopConditions {
  /// The captured values that its conditions compare with.
  var references: [VariablePath] { conditions.flatMap(\.check.references) }
}
