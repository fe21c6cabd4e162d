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
    /// Log that no agent agrees to a pairing that the device needs.
    case reportMissingAgent
    /// Let the connection wait for a key that never arrives.
    case expire(link: Int)
    case answer([Call])
    case refuse([Call], ErrorAnswer)
    /// Drop the calls without a reply.
    case drop([Call])
  }

  private struct Attempt: Sendable {
    let number: Int
    /// True if Pair started it, not a request that required security, nor the device.
    let isFromPair: Bool
    let host: IOCapability
    /// The client that called Pair; nil if none has.
    var client: String?
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
    if let present = attempt {
      guard !present.isFromPair, calls.isEmpty else { return [.refuse([call], .inProgress)] }
      // Recorded: Pair waits for a pairing that the device has started.
      calls = [call]
      attempt?.client = client
      return []
    }
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
      return bond == .none ? [.reportMissingAgent, .expire(link: link)] : []
    }
    requests.append(request)
    return begin(agent, client: nil, isFromPair: false)
  }

  /// Starts a pairing that the device asks for with a Security Request.
  ///
  /// Without an agent the kernel refuses it, as nothing is pairable then; the connection stays. With
  /// a bond it encrypts the connection, which is done already.
  ///
  /// - Parameter agent: The capability that the default agent had when the connection was made; nil
  ///   if no agent is registered now.
  /// - Source: recorded from bluetoothd 5.66 and 5.82, Linux 6.1.
  mutating func requested(agent: IOCapability?) -> [Action] {
    guard attempt == nil, bond == .none else { return [] }
    guard let agent else { return [.reportMissingAgent] }
    return begin(agent, client: nil, isFromPair: false)
  }

  /// Keeps a request that gets no reply, because it waits for something that never arrives.
  mutating func neverAnswer(_ request: Call) { unanswered.requests.append(request) }

  /// Handles CancelPairing. Without a Pair it is refused, and ends the connection all the same if
  /// there is a bond or a pairing.
  ///
  /// - Source: recorded from bluetoothd 5.66 and 5.82.
  mutating func cancel(_ call: Call) -> [Action] {
    guard let present = attempt, present.isFromPair || !calls.isEmpty else {
      let ending: [Action] = attempt == nil && bond == .none ? [] : withdraw() + [.loseLink]
      return [.refuse([call], .doesNotExist)] + ending
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
  /// - Parameters:
  ///   - answer: The reply to a Pair that is under way.
  ///   - isRemoved: Whether the connection ends because the device is removed, so that requests get no
  ///     reply.
  mutating func linkLost(
    _ answer: ErrorAnswer = .authenticationCanceled, isRemoved: Bool = false
  ) -> [Action] {
    link += 1
    var actions =
      attempt == nil && requests.isEmpty ? [] : end(answer, dropsRequests: isRemoved)
    if !unanswered.calls.isEmpty {
      actions.append(.refuse(unanswered.calls, .authenticationCanceled))
    }
    if !unanswered.requests.isEmpty { actions.append(.drop(unanswered.requests)) }
    unanswered = ([], [])
    return actions
  }

  /// True while a pairing is under way that the device, or a request to it, has started.
  var isUnasked: Bool { attempt?.isFromPair == false }

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

  /// Ends an attempt that this host rejected: Pair is answered, and requests stay pending until the
  /// device cancels. Without a request the connection stays.
  private mutating func abandonRequests() -> [Action] {
    attempt = nil
    let isExpiring = !requests.isEmpty && bond == .none
    unanswered.requests += requests
    requests = []
    defer { calls = [] }
    return [.refuse(calls, .authenticationFailed)]
      + (bond == .none ? [.reportMissingAgent] : []) + (isExpiring ? [.expire(link: link)] : [])
  }

  private mutating func end(_ answer: ErrorAnswer, dropsRequests: Bool = false) -> [Action] {
    let withdrawal = withdraw()
    attempt = nil
    defer {
      calls = []
      requests = []
    }
    return withdrawal + [
      .refuse(calls, answer), dropsRequests ? .drop(requests) : .refuse(requests, answer),
    ]
  }

  /// Withdraws the request to the agent, if there is one.
  private mutating func withdraw() -> [Action] {
    guard attempt?.isQuestionOpen == true else { return [] }
    attempt?.isQuestionOpen = false
    return [.withdraw]
  }
}
