// Keys that several kinds of steps share.
//
// A kind lists those that it has in `StepKind.common`.

import Documents

extension Step {
  /// The shared keys, in the order in which the one-line form prints them.
  static let printedKeys: [Key<Step>] = [
    .name, .as, .expect, .timeout, .attempts, .backoff, .onFailure,
  ]
}

extension Key<Step> {
  static var name: Key { Key("name", \.name, .text("a text"), "the name of the step, for people") }

  static var attempts: Key {
    Key(
      "attempts", \.retry.attempts, .attempts, default: 1,
      "how often the step is tried while it fails transiently; a lost connection is not made again"
    )
  }

  static var backoff: Key {
    Key(
      "backoff", \.retry.backoff, .pause("500ms"), default: RetryRule().backoff,
      "the wait before the second try; it doubles for each further one"
    )
  }

  static var onFailure: Key { failing(.choice, "what happens after the step has failed") }

  /// `on-failure` for a step with inner steps. It has no `warn`: the inner steps have their own.
  static var onInnerFailure: Key {
    failing(.choice(among: [.stop, .continue]), "what happens after a step in it has failed")
  }

  static var `as`: Key {
    Key("as", \.capture, .variableName, "the name under which later steps use the value")
  }

  static var expect: Key {
    ending(.expected, "what the value must be; or `error`: what the step must fail with")
  }

  /// `expect` for a step without a value; it accepts only `error`.
  static var expectFailure: Key {
    ending(.expectedFailure, "`error`: what the step must fail with")
  }

  static var timeout: Key {
    Key(
      "timeout", \.timeout, .duration, line: .option("within"),
      "the timeout of the step; by default the `timeout` of the chain"
    )
  }

  private static func failing(_ shape: Shape<Step.AfterFailure>, _ documentation: String) -> Key {
    Key("on-failure", \.onFailure, shape, default: .stop, documentation)
  }

  private static func ending(_ shape: Shape<Expected>, _ documentation: String) -> Key {
    let line = LineForm.comparisons(after: "expect")
    return Key("expect", \.expected, shape, default: .values([]), line: line, documentation)
  }
}
