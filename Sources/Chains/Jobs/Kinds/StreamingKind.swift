// Steps that receive many values: their stop conditions, and the keys `until`, `for` and
// `on-invalid`.

import Documents

/// A step that receives values until a stop condition is met.
protocol StreamingKind: StepKind {
  var stop: StopConditions { get set }
  /// The write that makes the device send values; runs once they can be received.
  var trigger: WriteStep? { get }
}

extension StopConditions {
  /// The stop conditions under `until`: all except the duration, which has its own key `for`.
  fileprivate var until: StopConditions {
    get { StopConditions(count: count, silence: silence, conditions: conditions) }
    set { (count, silence, conditions) = (newValue.count, newValue.silence, newValue.conditions) }
  }
}

extension StreamingKind {
  var trigger: WriteStep? { nil }
  var isStream: Bool { true }
  func limit(_ usual: Duration) -> Duration { (stop.duration ?? .zero) + usual }

  static var endingKeys: [Key<Self>] {
    stopKeys + [
      Key(
        "on-invalid",
        \.stop.onInvalid,
        .choice,
        "what happens at a value that does not match its format (default: `report` if the step "
          + "has `for` and no `expect`, otherwise `fail`)"
      )
    ]
  }

  /// The keys of the stop conditions, for values that always match their format.
  static var stopKeys: [Key<Self>] {
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
    ]
  }

  static var rules: [KeyRule] {
    [.some(of: ["until", "for"], endlessness, expected: stopExpected, at: verb)]
  }

  static var endlessness: String { "this step would never end" }
  static var stopExpected: String { "'until' with a count, or 'for' with a duration" }

  func problemAcrossKeys(timeout limit: Duration?) -> KeyRule.KeyProblem? {
    guard let limit, let duration = stop.duration, limit < duration else { return nil }
    let message = "the timeout of \(limit.written) is shorter than the \(duration.written) of 'for'"
    return (["timeout"], Problem(message, expected: "\(duration.written) or more"))
  }
}

/// The stop conditions of a step that receives many values, such as `notify`; the first one met ends it.
public struct StopConditions: Hashable, Sendable {
  /// The reaction to a value that does not match its format.
  public enum InvalidValueRule: String, Hashable, Sendable, CaseIterable {
    case fail
    /// The value is reported as bytes only, and the step continues.
    case report
  }

  /// The number of values to stop after.
  public var count: Int?
  /// The time to stop after; the step then succeeds.
  public var duration: Duration?
  /// The time without a value to stop after.
  public var silence: Duration?
  /// The conditions of a value to stop at; it must meet all of them.
  public var conditions: [Expectation]
  /// The reaction to a value that does not match its format. nil means `report` for a step with a
  /// duration and no expectations, and `fail` for all others.
  public var onInvalid: InvalidValueRule?

  /// Creates stop conditions; nil disables one.
  ///
  /// The first condition met ends the step, which then succeeds. If the timeout of the step passes
  /// first, the step fails.
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
  /// The captured values that the conditions compare with.
  var references: [VariablePath] { conditions.flatMap(\.check.references) }
}
