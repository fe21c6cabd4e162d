// How a chain answers what pairing asks.

public import Bluetooth

/// The answers of a `pair` step, or of a whole chain.
public struct PairingRule: Hashable, Sendable {
  /// nil: the least that the answers need.
  public var capability: AgentCapability?
  /// Whether a pairing without any check is accepted.
  public var acceptsJustWorks: Bool
  /// What is answered to a number that is to be compared; nil: asked where somebody can be, else no.
  public var comparison: PairingAnswers.Comparison?
  /// nil: asked where somebody can be, else refused.
  public var secret: SecretReference?

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

  /// Whether anything is answered beforehand, so that nobody is to be asked.
  public var hasAnswers: Bool { comparison != nil || secret != nil }

  /// The rule as answers, with its secret read.
  func answers(
    ask: PairingAnswers.Ask?,
    show: @escaping PairingAnswers.Show
  ) throws(SecretError) -> PairingAnswers {
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
