// The keys that several kinds of steps share.

import Documents

/// A key that several kinds of steps share.
enum StepKey {
  case name
  case `as`, expect, timeout
  /// `expect` of a step without a value, which can only fail.
  case expectFailure
  case attempts, backoff, onFailure

  /// Those whose words a step has in the one-line form.
  static let printed: [StepKey] = [.name, .as, .expect, .timeout, .attempts, .backoff, .onFailure]

  var description: KeyDescription { key.description }

  /// Reads the key into a step.
  func take(from mapping: inout MappingReader, into step: inout Step, _ reader: inout StepReader) {
    _ = key.take(from: &mapping, into: &step, &reader)
  }

  /// Its description as a key of the step itself.
  var key: Key<Step> {
    switch self {
    case .name: Self.nameKey
    case .attempts: Self.attemptsKey
    case .backoff: Self.backoffKey
    case .onFailure: Self.onFailureKey
    case .as: Self.captureKey
    case .expect: Self.expectedKey
    case .expectFailure: Self.failureKey
    case .timeout: Self.timeoutKey
    }
  }

  private static let nameKey = Key<Step>(
    "name",
    \.name,
    .text("a text"),
    documentation: "the name of the step, for people"
  )
  private static let attemptsKey = Key<Step>(
    "attempts",
    \.retry.attempts,
    .attempts,
    default: 1,
    documentation:
      "how often the step is tried while it fails transiently; a lost connection is not made again"
  )
  private static let backoffKey = Key<Step>(
    "backoff",
    \.retry.backoff,
    .pause("500ms"),
    default: RetryRule().backoff,
    documentation: "the wait before the second try; it doubles for each further one"
  )
  private static let onFailureKey = Key<Step>(
    "on-failure",
    \.onFailure,
    .choice("continue: the run goes on, and fails at its end."),
    default: .stop,
    documentation: "what happens after the step has failed"
  )
  private static let captureKey = Key<Step>(
    "as",
    \.capture,
    .variableName,
    documentation: "the name under which later steps use the value"
  )
  private static let expectedKey = Key<Step>(
    "expect",
    \.expected,
    .expected,
    default: .values([]),
    .comparisons(after: "expect"),
    documentation: "what the value must be; or `error`: what the step must fail with"
  )
  private static let failureKey = Key<Step>(
    "expect",
    \.expected,
    .expectedFailure,
    default: .values([]),
    .comparisons(after: "expect"),
    documentation: "`error`: what the step must fail with"
  )
  private static let timeoutKey = Key<Step>(
    "timeout",
    \.timeout,
    .duration,
    .option("within"),
    documentation: "the timeout of the step; by default the `timeout` of the chain"
  )
}
