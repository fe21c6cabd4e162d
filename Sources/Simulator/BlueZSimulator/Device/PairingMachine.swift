// The pairing of one device: calls, requests and events in, ordered actions out.
//
// Pure. The order of the actions is the order recorded from bluetoothd 5.66.

import BlueZInterfaces
import SimulatedDevices

/// The bond with a device, and the progress of a pairing.
struct PairingMachine<Call: Sendable>: Sendable {
  /// A request to an agent.
  enum Question: Hashable, Sendable {
    case authorization
    case comparison(UInt32)
    case passkey
    /// Display a passkey, which is typed on the device.
    case display(UInt32)
  }

  enum Reply: Hashable, Sendable {
    case accepted
    case passkey(UInt32)
    case refused
  }

  /// The effects to perform, in order. A number identifies the pairing attempt.
  enum Action: Sendable {
    /// Exchange the pairing features of both sides.
    case exchange(Int)
    case ask(Int, Question)
    /// Cancel the request to the agent.
    case withdraw
    /// Wait until the user of the device has typed or compared the passkey.
    case awaitPerson(Int)
    /// The key is available: announce it.
    case bond(LinkSecurity)
    case loseLink
    /// Let the connection wait for a key that never arrives.
    case expire(link: Int)
    case answer([Call])
    case refuse([Call], ErrorAnswer)
    /// Drop the calls without a reply.
    case drop([Call])
  }

  private struct Attempt: Sendable {
    let number: Int
    /// True if Pair started it, not a request that required security.
    let isFromPair: Bool
    let host: IOCapability
    /// The client that called Pair; nil for a request.
    let client: String?
    var model: AssociationModel?
    var passkey: UInt32 = 0
    var isQuestionOpen = false
  }

  /// The security of the bond's key; `none` without a bond.
  private(set) var bond: LinkSecurity
  private var attempt: Attempt?
  private var number = 0
  private var link = 0
  private var calls: [Call] = []
  private var requests: [Call] = []
  /// Calls that bluetoothd never answers: Pair of a paired device, and requests without an agent.
  private var unanswered: (calls: [Call], requests: [Call]) = ([], [])

  init(bond: LinkSecurity = .none) { self.bond = bond }

  var isPairing: Bool { attempt != nil }

  // MARK: Calls

  /// Handles a call of Pair.
  ///
  /// - Parameter agent: The capability of the agent; nil without one.
  mutating func pair(_ call: Call, of client: String, agent: IOCapability?) -> [Action] {
    // Recorded: on an LE-only adapter the call is answered only when the connection ends.
    guard bond == .none else {
      unanswered.calls.append(call)
      return []
    }
    guard attempt == nil else { return [.refuse([call], .inProgress)] }
    guard let agent else { return [.refuse([call], .authenticationFailed)] }
    calls = [call]
    return begin(agent, client: client, isFromPair: true)
  }

  /// Starts a pairing for a request that was refused for lack of security. The request is repeated
  /// afterwards.
  ///
  /// - Parameters:
  ///   - wanted: The required security.
  ///   - agent: The capability that the default agent had when the connection was made; nil if no
  /// agent is registered now.
  ///   - device: The capability of the device. It limits the security, so another pairing may not
  /// help.
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
    return begin(agent, client: nil, isFromPair: false)
  }

  /// Keeps a request that gets no reply, because it waits for something that never arrives.
  mutating func neverAnswer(_ request: Call) { unanswered.requests.append(request) }

  mutating func cancel(_ call: Call) -> [Action] {
    guard attempt != nil else {
      return [.refuse([call], .doesNotExist)] + (bond == .none ? [] : [.loseLink])
    }
    return end(.authenticationCanceled) + [.answer([call])]
  }

  private mutating func begin(_ host: IOCapability, client: String?, isFromPair: Bool) -> [Action] {
    number += 1
    attempt = Attempt(number: number, isFromPair: isFromPair, host: host, client: client)
    return [.exchange(number)]
  }

  // MARK: Events

  /// Continues after both sides have exchanged their capabilities.
  ///
  /// - Parameter passkey: The passkey that the device, or both sides, display.
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
    case .justWorks where present.isFromPair: return bonded()
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
    case (_, .refused) where !present.isFromPair: return abandonRequests()
    case (_, .refused): return end(.authenticationFailed)
    case (.hostEnters, .passkey(present.passkey)): return bonded()
    // The device detects the wrong passkey.
    case (.hostEnters, _): return refusedByDevice()
    case (.hostDisplays, _): return [.awaitPerson(number)]
    case (.justWorks, _), (.comparison, _): return bonded()
    }
  }

  /// Continues after the passkey was typed on the device.
  mutating func typed(_ number: Int) -> [Action] {
    attempt?.number == number ? bonded() : []
  }

  /// Ends the attempt: the host was silent for too long, and the device cancels.
  mutating func timedOut(_ number: Int) -> [Action] {
    attempt?.number == number ? [.loseLink] : []
  }

  /// Cancels the pairing of a client that left the bus.
  mutating func clientLeft(_ client: String) -> [Action] {
    guard attempt?.client == client else { return [] }
    return end(.authenticationCanceled) + [.loseLink]
  }

  /// Ends the attempt when the connection has ended or is about to.
  ///
  /// - Parameter answer: The reply to a Pair that is under way.
  mutating func linkLost(_ answer: ErrorAnswer = .authenticationCanceled) -> [Action] {
    link += 1
    var actions =
      attempt == nil && requests.isEmpty ? [] : end(answer)
    if !unanswered.calls.isEmpty {
      actions.append(.refuse(unanswered.calls, .authenticationCanceled))
    }
    if !unanswered.requests.isEmpty { actions.append(.drop(unanswered.requests)) }
    unanswered = ([], [])
    return actions
  }

  /// True if that connection is still the current one.
  func isPresent(link number: Int) -> Bool { link == number }

  /// Adopts the bond of a pairing that the other side started.
  mutating func adopt(_ security: LinkSecurity) { bond = max(bond, security) }

  /// Removes the bond, together with the device.
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

  /// Ends an attempt that the device refused: Pair is answered at once, requests fail when the
  /// connection ends.
  private mutating func refusedByDevice() -> [Action] {
    attempt = nil
    defer { calls = [] }
    return [.refuse(calls, .authenticationFailed), .loseLink]
  }

  /// Ends an attempt that this host rejected: the request stays pending until the device cancels.
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
