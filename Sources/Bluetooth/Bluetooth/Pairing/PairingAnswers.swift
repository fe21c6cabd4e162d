// The answers to pairing requests, decided in advance; the capability of the agent, and the outcome.

/// The answers of this host to pairing requests.
///
/// A request without an answer here or from a person is rejected: nothing is confirmed by
/// default but Just Works, which the caller of `pair` has requested.
public struct PairingAnswers: Sendable {
  /// Answers whether both sides display the same number.
  public enum Comparison: Hashable, Sendable {
    /// One answer for every number.
    case always(Bool)
    /// Only this number is confirmed.
    case only(UInt32)
  }

  /// Asks a person. The reply comes later, through the function; calling the returned one cancels
  /// the question. Called on the loop, which it must not block.
  public typealias Ask =
    @Sendable (
      _ question: PairingQuestion, _ reply: @escaping @Sendable (PairingReply) -> Void
    ) -> @Sendable () -> Void

  /// Displays something to a person. Called on the loop.
  public typealias Show = @Sendable (PairingDisplay) -> Void

  /// The I/O capability; nil to derive it from the answers, see ``offeredCapability``.
  public var capability: AgentCapability?
  /// Whether Just Works pairing is accepted.
  public var acceptsJustWorks: Bool
  /// The answer to a numeric comparison; nil to ask, or to reject if ``ask`` is nil.
  public var comparison: Comparison?
  /// The passkey or PIN that the device displays or has printed on it; nil to ask, or to reject if
  /// ``ask`` is nil.
  public var secret: Secret?
  /// Asks a person; nil if no person can be asked.
  public var ask: Ask?
  /// Shows a passkey that a person is to type on the device.
  public var show: Show

  /// Answers to pairing; see the properties.
  ///
  /// ```swift
  /// let printed = PairingAnswers(secret: Secret("123456"))  // on the label of the device
  /// let compared = PairingAnswers(comparison: .only(482_913))  // shown by the device
  /// ```
  public init(
    capability: AgentCapability? = nil, acceptsJustWorks: Bool = true,
    comparison: Comparison? = nil, secret: Secret? = nil, ask: Ask? = nil,
    show: @escaping Show = { _ in }
  ) {
    self.capability = capability
    self.acceptsJustWorks = acceptsJustWorks
    self.comparison = comparison
    self.secret = secret
    self.ask = ask
    self.show = show
  }

  /// Whether the answers refuse every pairing: no comparison, no Just Works, no secret, and no one
  /// to ask. Then nothing is shown to be typed on the device, and a bond that the device makes
  /// without a question is removed.
  public var refusesAll: Bool {
    comparison == .always(false) && !acceptsJustWorks && secret == nil && ask == nil
  }

  /// The capability that the device is offered: the given one, or else the smallest that all
  /// answers need. Answers that refuse every pairing need the full capability: the more a device
  /// can ask, the earlier it is refused.
  ///
  /// ```swift
  /// print(PairingAnswers().offeredCapability)  // nothing but Just Works is possible
  /// ```
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part H §2.3.5.1, for what each capability allows.
  public var offeredCapability: AgentCapability {
    if let capability { return capability }
    if ask != nil || refusesAll { return .keyboardDisplay }
    switch (secret != nil, comparison != nil) {
    case (true, true): return .keyboardDisplay
    case (true, false): return .keyboardOnly
    case (false, true): return .displayYesNo
    case (false, false): return .noInputNoOutput
    }
  }
}

/// The I/O capability of a pairing agent. Together with the device's it determines the association
/// model.
///
/// - Source: Bluetooth Core 5.4, Vol 3, Part H §2.3.2 (IO capabilities).
public enum AgentCapability: String, CaseIterable, Hashable, Sendable {
  /// Displays a passkey.
  case displayOnly = "display-only"
  /// Displays a number, and confirms whether the device displays the same one.
  case displayYesNo = "display-yes-no"
  /// Enters a passkey.
  case keyboardOnly = "keyboard-only"
  /// No input and no output: the connection is encrypted, but not authenticated.
  case noInputNoOutput = "no-input-no-output"
  /// Displays and enters everything.
  case keyboardDisplay = "keyboard-display"
}

/// The success results of ``ConnectionOperations/pair(_:)``.
public enum PairingOutcome: Hashable, Sendable {
  /// The device is paired now.
  ///
  /// - `isAuthenticated`: Whether a number was compared or a passkey entered. Otherwise the
  ///   connection is encrypted, and nothing shows that it is with this device: Just Works.
  case paired(isAuthenticated: Bool)
  /// The device was paired before: nothing was done.
  case already
}
