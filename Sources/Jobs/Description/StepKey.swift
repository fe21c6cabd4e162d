// The keys that several kinds of steps share.

import Documents

/// A key that several kinds of steps share.
struct StepKey: Sendable {
  /// Its description as a key of the step itself.
  let key: Key<Step>

  private init(_ key: Key<Step>) { self.key = key }

  /// Those whose words a step has in the one-line form.
  static let printed: [StepKey] = [.name, .as, .expect, .timeout, .attempts, .backoff, .onFailure]

  static let name = StepKey(
    Key("name", \.name, .text("a text"), documentation: "the name of the step, for people")
  )
  static let attempts = StepKey(
    Key(
      "attempts",
      \.retry.attempts,
      .attempts,
      default: 1,
      documentation:
        "how often the step is tried while it fails transiently; a lost connection is not made again"
    )
  )
  static let backoff = StepKey(
    Key(
      "backoff",
      \.retry.backoff,
      .pause("500ms"),
      default: RetryRule().backoff,
      documentation: "the wait before the second try; it doubles for each further one"
    )
  )
  static let onFailure = failing(.choice, "what happens after the step has failed")
  /// `on-failure` of a step with inner steps, which report their failures themselves.
  static let onInnerFailure = failing(
    .choice(among: [.stop, .continue]),
    "what happens after a step in it has failed"
  )
  static let `as` = StepKey(
    Key(
      "as",
      \.capture,
      .variableName,
      documentation: "the name under which later steps use the value"
    )
  )
  static let expect = expectation(
    .expected,
    "what the value must be; or `error`: what the step must fail with"
  )
  /// `expect` of a step without a value, which can only fail.
  static let expectFailure = expectation(.expectedFailure, "`error`: what the step must fail with")
  static let timeout = StepKey(
    Key(
      "timeout",
      \.timeout,
      .duration,
      .option("within"),
      documentation: "the timeout of the step; by default the `timeout` of the chain"
    )
  )

  private static func failing(
    _ shape: Shape<Step.AfterFailure>,
    _ documentation: String
  ) -> StepKey {
    StepKey(
      Key("on-failure", \.onFailure, shape, default: .stop, documentation: documentation)
    )
  }

  private static func expectation(_ shape: Shape<Expected>, _ documentation: String) -> StepKey {
    StepKey(
      Key(
        "expect",
        \.expected,
        shape,
        default: .values([]),
        .comparisons(after: "expect"),
        documentation: documentation
      )
    )
  }
}
