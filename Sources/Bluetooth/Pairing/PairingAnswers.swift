// What is answered while pairing, decided beforehand.

/// The answers of this side to whatever pairing asks.
///
/// What was neither given nor can be asked for is refused: nothing is confirmed by default but the
/// pairing without any check, which whoever calls `pair` has asked for.
public struct PairingAnswers: Sendable {
  /// Answers the question whether both sides show the same number.
  public enum Comparison: Hashable, Sendable {
    /// The same for whatever number.
    case always(Bool)
    /// Only this number is confirmed.
    case only(UInt32)
  }

  /// Asks a person. The reply comes later, through the function; calling the returned one says that
  /// no reply is wanted any more. Called on the loop, which it must not block.
  public typealias Ask =
    @Sendable (
      _ question: PairingQuestion,
      _ reply: @escaping @Sendable (PairingReply) -> Void
    ) -> @Sendable () -> Void

  /// Shows something to a person. Called on the loop.
  public typealias Show = @Sendable (PairingDisplay) -> Void

  /// What this side can do; nil: what the answers allow, see ``offeredCapability``.
  public var capability: AgentCapability?
  /// Whether a pairing without any check is accepted.
  public var acceptsJustWorks: Bool
  /// nil: asked, or else refused.
  public var comparison: Comparison?
  /// The passkey or PIN that the device shows or has printed on it; nil: asked, or else refused.
  public var secret: Secret?
  /// nil: there is nobody to ask.
  public var ask: Ask?
  public var show: Show

  public init(
    capability: AgentCapability? = nil,
    acceptsJustWorks: Bool = true,
    comparison: Comparison? = nil,
    secret: Secret? = nil,
    ask: Ask? = nil,
    show: @escaping Show = { _ in }
  ) {
    self.capability = capability
    self.acceptsJustWorks = acceptsJustWorks
    self.comparison = comparison
    self.secret = secret
    self.ask = ask
    self.show = show
  }

  /// The capability that is told to the device: the given one, else the least that all answers need.
  public var offeredCapability: AgentCapability {
    if let capability { return capability }
    if ask != nil { return .keyboardDisplay }
    switch (secret != nil, comparison != nil) {
    case (true, true): return .keyboardDisplay
    case (true, false): return .keyboardOnly
    case (false, true): return .displayYesNo
    case (false, false): return .noInputNoOutput
    }
  }
}
