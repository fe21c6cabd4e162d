// The pairing of one device: calls, requests and events in, ordered actions out.
//
// Pure. The order of the actions is the order recorded from bluetoothd 5.66.

import BlueZInterfaces
import SimulatedDevices

/// Whether a device is paired, and the progress of a pairing.
struct PairingMachine<Call: Sendable>: Sendable {
  /// The requests to an agent.
  enum Question: Hashable, Sendable {
    case authorization
    case comparison(UInt32)
    case passkey
    /// The passkey is displayed, and typed on the device.
    case display(UInt32)
  }

  enum Reply: Hashable, Sendable {
    case accepted
    case passkey(UInt32)
    case refused
  }

  /// The actions. Those with a number concern the attempt with that number.
  enum Action: Sendable {
    /// Exchange the pairing features of both sides.
    case exchange(Int)
    case ask(Int, Question)
    /// Cancel the request to the agent.
    case withdraw
    /// The person at the device types, or compares.
    case awaitPerson(Int)
    /// The key is available: announce it.
    case bond(LinkSecurity)
    case loseLink
    /// The connection waits for a key that never arrives.
    case expire(link: Int)
    case answer([Call])
    case refuse([Call], ErrorAnswer)
    /// Calls that get no reply at all.
    case drop([Call])
  }

  private struct Attempt: Sendable {
    let number: Int
    /// Started by Pair, not by a request that required it.
    let isAsked: Bool
    let host: IOCapability
    /// The caller of Pair; nil without one.
    let client: String?
    var model: AssociationModel?
    var passkey: UInt32 = 0
    var isQuestionOpen = false
  }

  /// The security of the bond's key; none without a bond.
  private(set) var bond: LinkSecurity
  private var attempt: Attempt?
  private var number = 0
  private var link = 0
  private var calls: [Call] = []
  private var requests: [Call] = []
  /// Calls that bluetoothd never answers: Pair on a paired device, requests without an agent.
  private var unanswered: (calls: [Call], requests: [Call]) = ([], [])

  init(bond: LinkSecurity = .none) { self.bond = bond }

  var isPairing: Bool { attempt != nil }

  // MARK: Calls

  /// Pair was called.
  ///
  /// - Parameter agent: The capability of the agent; nil without one.
  mutating func pair(_ call: Call, of client: String, agent: IOCapability?) -> [Action] {
    // Recorded: on an LE-only adapter it is not answered before the connection ends.
    guard bond == .none else {
      unanswered.calls.append(call)
      return []
    }
    guard attempt == nil else { return [.refuse([call], .inProgress)] }
    guard let agent else { return [.refuse([call], .authenticationFailed)] }
    calls = [call]
    return begin(agent, client: client, isAsked: true)
  }

  /// A request was refused because the connection is not secure enough, and waits to be repeated.
  ///
  /// - Parameters:
  ///   - wanted: The required security.
  ///   - agent: The capability of the default agent when the connection was made; nil: there is no
  ///     agent now.
  ///   - device: The capability of the device: the same key again would change nothing.
  mutating func secure(
    _ wanted: LinkSecurity, _ request: Call, agent: IOCapability?, device: IOCapability
  ) -> [Action] {
    if attempt != nil {
      requests.append(request)
      return []
    }
    let isHopeless =
      bond != .none
      && agent.map { AssociationModel(host: $0, device: device).security < wanted } ?? true
    guard let agent, !isHopeless else {
      unanswered.requests.append(request)
      return bond == .none ? [.expire(link: link)] : []
    }
    requests.append(request)
    return begin(agent, client: nil, isAsked: false)
  }

  /// A request that waits for something that never arrives.
  mutating func neverAnswer(_ request: Call) { unanswered.requests.append(request) }

  mutating func cancel(_ call: Call) -> [Action] {
    guard attempt != nil else {
      return [.refuse([call], .doesNotExist)] + (bond == .none ? [] : [.loseLink])
    }
    return end(.authenticationCanceled) + [.answer([call])]
  }

  private mutating func begin(_ host: IOCapability, client: String?, isAsked: Bool) -> [Action] {
    number += 1
    attempt = Attempt(number: number, isAsked: isAsked, host: host, client: client)
    return [.exchange(number)]
  }

  // MARK: Events

  /// Both sides know each other's capability.
  ///
  /// - Parameter passkey: The one that the device displays, or that both display.
  mutating func exchanged(
    _ number: Int, with device: PairingDefinition.Method, passkey: UInt32
  ) -> [Action] {
    guard attempt?.number == number, let present = attempt else { return [] }
    guard device != .reject else { return refusedByDevice() }
    let model = AssociationModel(host: present.host, device: IOCapability(device))
    attempt?.model = model
    attempt?.passkey = passkey
    let question: Question
    switch model {
    case .justWorks where present.isAsked: return bonded()
    case .justWorks: question = .authorization
    case .comparison: question = .comparison(passkey)
    case .hostEnters: question = .passkey
    case .hostDisplays: question = .display(passkey)
    }
    attempt?.isQuestionOpen = true
    return [.ask(number, question)]
  }

  mutating func answered(_ number: Int, _ reply: Reply) -> [Action] {
    guard attempt?.number == number, let present = attempt, let model = present.model else {
      return []
    }
    attempt?.isQuestionOpen = false
    switch (model, reply) {
    case (_, .refused) where !present.isAsked: return abandonRequests()
    case (_, .refused): return end(.authenticationFailed)
    case (.hostEnters, .passkey(present.passkey)): return bonded()
    // The device detects the error.
    case (.hostEnters, _): return refusedByDevice()
    case (.hostDisplays, _): return [.awaitPerson(number)]
    case (.justWorks, _), (.comparison, _): return bonded()
    }
  }

  /// The person at the device has typed the passkey.
  mutating func typed(_ number: Int) -> [Action] {
    attempt?.number == number ? bonded() : []
  }

  /// The host was silent for too long: the device cancels the pairing.
  mutating func timedOut(_ number: Int) -> [Action] {
    attempt?.number == number ? [.loseLink] : []
  }

  /// A client has left the bus: its pairing is cancelled.
  mutating func clientLeft(_ client: String) -> [Action] {
    guard attempt?.client == client else { return [] }
    return end(.authenticationCanceled) + [.loseLink]
  }

  /// The connection has ended, or is about to.
  mutating func linkLost() -> [Action] {
    link += 1
    var actions =
      attempt == nil && requests.isEmpty ? [] : end(.authenticationCanceled)
    if !unanswered.calls.isEmpty {
      actions.append(.refuse(unanswered.calls, .authenticationCanceled))
    }
    if !unanswered.requests.isEmpty { actions.append(.drop(unanswered.requests)) }
    unanswered = ([], [])
    return actions
  }

  /// Whether a connection is still the current one.
  func isPresent(link number: Int) -> Bool { link == number }

  /// The other side has started and finished a pairing.
  mutating func adopt(_ security: LinkSecurity) { bond = max(bond, security) }

  /// The device is removed, and the bond with it.
  mutating func forget() { bond = .none }

  // MARK: Endings

  private mutating func bonded() -> [Action] {
    bond = max(bond, attempt?.model?.security ?? .encrypted)
    attempt = nil
    defer {
      calls = []
      requests = []
    }
    return [.bond(bond), .answer(calls), .answer(requests)]
  }

  /// Pair is answered at once; requests fail with the connection.
  private mutating func refusedByDevice() -> [Action] {
    attempt = nil
    defer { calls = [] }
    return [.refuse(calls, .authenticationFailed), .loseLink]
  }

  /// This host rejects the pairing: the request that required it waits until the device cancels.
  private mutating func abandonRequests() -> [Action] {
    attempt = nil
    unanswered.requests += requests
    requests = []
    return bond == .none ? [.expire(link: link)] : []
  }

  private mutating func end(_ answer: ErrorAnswer) -> [Action] {
    let isQuestionOpen = attempt?.isQuestionOpen ?? false
    attempt = nil
    defer {
      calls = []
      requests = []
    }
    return (isQuestionOpen ? [.withdraw] : []) + [
      .refuse(calls, answer), .refuse(requests, answer),
    ]
  }
}
