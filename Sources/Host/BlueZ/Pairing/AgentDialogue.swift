// The answers of an agent: requests in, answers out.
//
// A pure value. PairingAgent performs its actions.

import Bluetooth
import DBus

/// The answers to bluetoothd's requests about one device.
struct AgentDialogue: Sendable {
  enum Event: Sendable {
    case request(AgentRequest)
    /// A person answered the open question.
    case replied(PairingReply)
    /// bluetoothd no longer needs an answer.
    case withdrawn
  }

  enum Action: Equatable, Sendable {
    /// Answer the last request.
    case reply([DBusValue])
    case refuse
    case ask(PairingQuestion)
    case show(PairingDisplay)
    /// Cancel the open question.
    case withdraw
    /// Cancel the pairing: bluetoothd does not wait for an answer to what it displays.
    case cancelPairing
  }

  /// The reason why a request was rejected.
  enum Rejection: Equatable, Sendable {
    /// No answer is configured, and there is no person to ask.
    case unanswered(PairingQuestion)
    /// The configured answer, or the person's answer, is no.
    case declined(PairingQuestion)
    /// Every pairing is rejected, even one that only displays something.
    case declinedToShow
    /// Another number was expected.
    case otherNumber(UInt32)
    /// The given passkey or PIN is invalid.
    case unusable(PairingQuestion)
  }

  let acceptsJustWorks: Bool
  let comparison: PairingAnswers.Comparison?
  let secret: Secret?
  let canAsk: Bool
  let refusesAll: Bool
  /// The question that a person was asked.
  private(set) var open: PairingQuestion?
  /// The reason for the last rejection of a request: the cause of a failed pairing.
  private(set) var refusal: Rejection?
  /// Whether a number was compared, or a passkey or PIN shown or entered: without that, a pairing
  /// is Just Works.
  private(set) var isAuthenticated = false
  private var shown: PairingDisplay?

  init(_ answers: PairingAnswers) {
    acceptsJustWorks = answers.acceptsJustWorks
    comparison = answers.comparison
    secret = answers.secret
    canAsk = answers.ask != nil
    refusesAll = answers.refusesAll
  }

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .request(let request): return withdraw() + answer(request)
    case .replied(let reply):
      guard let question = open else { return [] }
      open = nil
      return answer(question, with: reply)
    case .withdrawn:
      shown = nil
      return withdraw()
    }
  }

  /// A second request replaces an unanswered one.
  private mutating func withdraw() -> [Action] {
    defer { open = nil }
    return open == nil ? [] : [.withdraw]
  }

  private mutating func answer(_ request: AgentRequest) -> [Action] {
    switch request {
    case .displayPasskey(let number, _): return show(.passkey(number))
    case .displayPinCode(let text): return show(.pin(text))
    case .confirmation(let number): return compare(number)
    case .passkey: return enter(.passkey)
    case .pinCode: return enter(.pin)
    case .authorization, .authorizeService:
      return acceptsJustWorks ? [.reply([])] : refuse(.declined(.justWorks))
    }
  }

  /// Shows a passkey. bluetoothd displays the same one again for each digit that is typed: it is
  /// shown once.
  private mutating func show(_ display: PairingDisplay) -> [Action] {
    guard !refusesAll else { return refuse(.declinedToShow) + [.cancelPairing] }
    guard shown != display else { return [.reply([])] }
    isAuthenticated = true
    shown = display
    return [.show(display), .reply([])]
  }

  private mutating func compare(_ number: UInt32) -> [Action] {
    switch comparison {
    case .always(true): return confirm()
    case .always(false): return refuse(.declined(.comparison(number)))
    case .only(let expected):
      return number == expected ? confirm() : refuse(.otherNumber(number))
    case nil: return ask(.comparison(number))
    }
  }

  private mutating func confirm(with answer: [DBusValue] = []) -> [Action] {
    isAuthenticated = true
    return [.reply(answer)]
  }

  private mutating func enter(_ question: PairingQuestion) -> [Action] {
    secret.map { answer(question, with: .secret($0)) } ?? ask(question)
  }

  private mutating func ask(_ question: PairingQuestion) -> [Action] {
    guard canAsk else { return refuse(refusesAll ? .declined(question) : .unanswered(question)) }
    open = question
    return [.ask(question)]
  }

  private mutating func answer(_ question: PairingQuestion, with reply: PairingReply) -> [Action] {
    switch (question, reply) {
    case (.comparison, .yes): return confirm()
    case (.justWorks, .yes): return [.reply([])]
    case (.passkey, .secret(let secret)):
      guard let passkey = secret.passkey else { return refuse(.unusable(question)) }
      return confirm(with: [.uint32(passkey)])
    case (.pin, .secret(let secret)):
      return secret.isPIN ? confirm(with: [.string(secret.revealed)]) : refuse(.unusable(question))
    case (_, .no): return refuse(.declined(question))
    case (_, .yes), (_, .secret): return refuse(.unusable(question))
    }
  }

  private mutating func refuse(_ why: Rejection) -> [Action] {
    refusal = why
    return [.refuse]
  }
}
