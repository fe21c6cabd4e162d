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
        .stop(after: "until"),
        documentation:
          "what ends it: a number of values (`count`), a time without values (`silence`), or a value "
          + "that meets a condition"
      ),
      Key(
        "for",
        \.stop.duration,
        .duration,
        documentation: "how long it lasts; the step succeeds when the time is over"
      ),
      Key(
        "on-invalid",
        \.stop.onInvalid,
        .choice(),
        documentation:
          "what happens at a value that does not match its format; by default `report` with `for` and "
          + "without `expect`, otherwise `fail`"
      ),
    ]
  }

  static var endingRules: [KeyRule<Self>] {
    [
      .atLeastOne(["until", "for"], .endless),
      .values(blamed: ["timeout"]) { kind, limit in
        guard let limit, let duration = kind.stop.duration, limit < duration else { return nil }
        return .tooShort(limit, for: duration)
      },
    ]
  }
}

extension Problem {
  /// A step without stop conditions.
  fileprivate static let endless = Problem(
    "this would listen for ever",
    expected: "'until' with a count, or 'for' with a duration"
  )

  /// A timeout that is shorter than the duration of the step.
  fileprivate static func tooShort(_ timeout: Duration, for duration: Duration) -> Problem {
    Problem(
      "a limit of \(timeout.written) ends before the \(duration.written) of 'for'",
      expected: "\(duration.written) or more"
    )
  }
}
