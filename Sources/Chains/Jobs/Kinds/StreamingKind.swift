// Steps with many values: when they stop, and the keys `until` and `for` that say so.

import Documents

/// A step that receives values until a stop condition is met.
protocol StreamingKind: StepKind {
  var stop: StopConditions { get set }
  /// What is written once the values can be received.
  var trigger: Write? { get }
}

extension StopConditions {
  /// The stop conditions of `until`: all except the duration, which has its own key.
  fileprivate var until: StopConditions {
    get { StopConditions(count: count, silence: silence, conditions: conditions) }
    set { (count, silence, conditions) = (newValue.count, newValue.silence, newValue.conditions) }
  }
}

extension StreamingKind {
  var trigger: Write? { nil }
  func limit(_ usual: Duration) -> Duration { (stop.duration ?? .zero) + usual }

  static var endingKeys: [Key<Self>] {
    [
      Key(
        "until", \.stop.until, .until, default: StopConditions(), line: .stop(after: "until"),
        "what ends it: a number of values (`count`), a time without values (`silence`), or a value "
          + "that meets a condition"
      ),
      Key(
        "for",
        \.stop.duration,
        .duration,
        "how long it lasts; the step succeeds when the time is over"
      ),
      Key(
        "on-invalid",
        \.stop.onInvalid,
        .choice,
        "what happens at a value that does not match its format (default: `report` if the step "
          + "has `for` and no `expect`, otherwise `fail`)"
      ),
    ]
  }

  static var rules: [KeyRule] {
    [
      .some(
        of: ["until", "for"], "this would listen for ever",
        expected: "'until' with a count, or 'for' with a duration", at: verb
      )
    ]
  }

  func conflict(within limit: Duration?) -> KeyRule.KeyProblem? {
    guard let limit, let duration = stop.duration, limit < duration else { return nil }
    let message = "a limit of \(limit.written) ends before the \(duration.written) of 'for'"
    return (["timeout"], Problem(message, expected: "\(duration.written) or more"))
  }
}

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
    count: Int? = nil, duration: Duration? = nil, silence: Duration? = nil,
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
