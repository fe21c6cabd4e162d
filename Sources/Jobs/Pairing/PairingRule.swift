// The answers of a chain to the questions of pairing.

public import Bluetooth
package import Documents

/// The answers of a `pair` step, or of a whole chain.
public struct PairingRule: Hashable, Sendable {
  /// Nil: the least that the answers need.
  public var capability: AgentCapability?
  /// Whether Just Works pairing is accepted.
  public var acceptsJustWorks: Bool
  /// The answer to a numeric comparison; nil: ask the user if there is one, otherwise no.
  public var comparison: PairingAnswers.Comparison?
  /// The passkey; nil: ask the user if there is one, otherwise reject.
  public var secret: SecretReference?

  /// Answers to pairing. Without arguments, Just Works is accepted, and the user is asked the rest.
  ///
  /// ```swift
  /// var plan = try Plan(file: "lock.yaml")
  /// plan.pairing = PairingRule(secret: SecretReference(.environment("PASSKEY")))
  /// ```
  public init(
    capability: AgentCapability? = nil,
    acceptsJustWorks: Bool = true,
    comparison: PairingAnswers.Comparison? = nil,
    secret: SecretReference? = nil
  ) {
    self.capability = capability
    self.acceptsJustWorks = acceptsJustWorks
    self.comparison = comparison
    self.secret = secret
  }

  /// Whether there are prepared answers, so that the user is not asked.
  public var hasAnswers: Bool { comparison != nil || secret != nil }

  /// The answers of the rule, with its secret read.
  package func answers(
    ask: PairingAnswers.Ask?,
    show: @escaping PairingAnswers.Show
  ) throws(Problem) -> PairingAnswers {
    PairingAnswers(
      capability: capability,
      acceptsJustWorks: acceptsJustWorks,
      comparison: comparison,
      secret: try secret?.read(),
      ask: hasAnswers ? nil : ask,
      show: show
    )
  }
}
