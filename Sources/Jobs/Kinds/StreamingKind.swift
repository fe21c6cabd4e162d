// `until` and `for`: the stop conditions of steps with many values.

import Documents

/// A step that receives values until a stop condition is met.
protocol StreamingKind: StepKind {
  var stop: StopConditions { get set }
  /// What is written once the values can be received.
  var trigger: Write? { get }
}

extension StreamingKind {
  var trigger: Write? { nil }
}

extension StopConditions {
  /// The stop conditions of `until`: all except the duration, which has its own key.
  fileprivate var until: StopConditions {
    get { StopConditions(count: count, silence: silence, conditions: conditions) }
    set { (count, silence, conditions) = (newValue.count, newValue.silence, newValue.conditions) }
  }
}

extension StreamingKind {
  static var endingKeys: [Key<Self>] {
    [
      Key(
        "until",
        \.stop.until,
        .until,
        default: StopConditions(),
        line: .stop(after: "until"),
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
        "what happens at a value that does not match its format; by default `report` with `for` and "
          + "without `expect`, otherwise `fail`"
      ),
    ]
  }

  static var rules: [KeyRule] {
    [
      .some(
        of: ["until", "for"],
        "this would listen for ever",
        expected: "'until' with a count, or 'for' with a duration",
        at: verb
      )
    ]
  }

  func conflict(within limit: Duration?) -> KeyRule.Breach? {
    guard let limit, let duration = stop.duration, limit < duration else { return nil }
    let message = "a limit of \(limit.written) ends before the \(duration.written) of 'for'"
    return (["timeout"], Problem(message, expected: "\(duration.written) or more"))
  }
}
