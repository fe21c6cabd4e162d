// `until` and `for`: the keys of steps with many values.

import Documents

/// A step that takes values until there are enough.
protocol StreamingKind: StepKind {
  var enough: Enough { get set }
}

extension Enough {
  /// What `until` says: all but the duration, which has a key of its own.
  fileprivate var until: Enough {
    get { Enough(count: count, silence: silence, conditions: conditions) }
    set { (count, silence, conditions) = (newValue.count, newValue.silence, newValue.conditions) }
  }
}

extension StreamingKind {
  static var endingKeys: [Key<Self>] {
    [
      Key(
        "until",
        \.enough.until,
        .until,
        default: Enough(),
        .stop(after: "until"),
        documentation:
          "what ends it: a number of values (`count`), a time without values (`silence`), or a value "
          + "that meets a condition"
      ),
      Key(
        "for",
        \.enough.duration,
        .duration,
        documentation: "how long it lasts; the step succeeds when the time is over"
      ),
    ]
  }

  static var endingRules: [KeyRule<Self>] {
    [
      .atLeastOne(["until", "for"], Listening.endless),
      .values(blamed: ["timeout"]) { kind, limit in
        guard let limit, let duration = kind.enough.duration, limit < duration else { return nil }
        return Listening.tooShort(limit, for: duration)
      },
    ]
  }
}
