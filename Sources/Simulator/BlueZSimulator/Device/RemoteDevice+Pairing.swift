// Performs the actions of PairingMachine.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

extension RemoteDevice {
  // MARK: Calls

  /// Handles Pair: connects first if necessary, and replies once the services are resolved.
  func pair(_ call: Invocation) {
    let client = call.caller
    if state.pairing.bond != .none, host.settings.version.has(.pairedOnce) {
      return call.refuse(.alreadyExists)
    }
    guard !isConnected else { return beginPairing(WaitingCall(call), client) }
    if state.pendingPair != nil { return call.refuse(.inProgress) }
    if state.machine.phase == .connecting {
      let isExcluded = host.settings.version.has(.connectExcludesPair)
      return call.refuse(isExcluded ? .inProgress : .connectPending)
    }
    state.known.isTemporary = false
    state.pendingPair = (WaitingCall(call), client)
    state.isMadeByPair = true
    let link = WaitingCall(
      answer: { [weak self] in
        if let call = self?.popPendingPair() {
          self?.beginPairing(call, client)
        }
      },
      refuse: { [weak self] answer in
        let call = self?.popPendingPair()
        self?.state.isMadeByPair = false
        switch answer {
        case .connectAborted: call?.refuse(.pageTimeout)
        case .inputOutputError: call?.refuse(answer)
        default: call?.refuse(.authenticationCanceled)
        }
      }
    )
    perform { $0.connect(link) }
  }

  private func popPendingPair() -> WaitingCall? { state.pendingPair.take()?.call }

  /// From 5.81 on bluetoothd raises the security of the connection's channel, and the capability of
  /// the connection counts; before, that of the caller's agent.
  private func beginPairing(_ call: WaitingCall, _ client: String) {
    let agent = host.agents.agent(for: client)
    state.known.isTemporary = false
    // From here on the connection uses the capability of Pair's agent.
    if let agent, !isPairedByChannel { state.linkCapability = agent.capability }
    let capability = state.linkCapability
    pairing(with: agent) { $0.pair(call, of: client, agent: agent.map { _ in capability }) }
  }

  private var isPairedByChannel: Bool { host.settings.version.has(.pairingByChannel) }

  func cancelPairing(_ call: Invocation) {
    guard let waiting = popPendingPair() else {
      return pairing { $0.cancel(WaitingCall(call)) }
    }
    waiting.refuse(.authenticationCanceled)
    call.reply()
  }

  /// Ends a pairing when the connection ends.
  func endPairing() {
    let isRemoved = state.isBeingRemoved
    state.isBeingRemoved = false
    pairing {
      $0.linkLost(isRemoved ? .pageTimeout : .authenticationCanceled, isRemoved: isRemoved)
    }
  }

  func pairingClientLeft(_ client: String) {
    if state.pendingPair?.client == client {
      // The connection that it is making is no longer needed.
      perform { $0.disconnect(WaitingCall(answer: {}, refuse: { _ in })) }
    }
    pairing { $0.clientLeft(client) }
  }

  /// Fails a Pair that is still connecting, before the device is removed.
  func failPendingPair(_ answer: ErrorAnswer) { popPendingPair()?.refuse(answer) }

  /// Adopts a bond that the other side of the connection made.
  func bonded(_ security: LinkSecurity) {
    device.secure(security)
    state.keyring = device.keyring
    state.pairing.adopt(security)
    state.known.isPaired = true
    state.known.isTemporary = false
    mark(Device1.bonded)
    mark(Device1.paired)
  }

  /// The device has lost the key of the bond that this host still has.
  var isBondLost: Bool { state.pairing.bond != .none && state.keyring != device.keyring }

  /// Encrypts a new connection if there is a bond.
  func resumeBond() {
    state.linkCapability = host.agents.capability
    device.secure(isBondLost ? .none : state.pairing.bond)
  }

  // MARK: Requests

  /// Handles a Security Request of the device.
  ///
  /// The kernel handles it as the pairing of the connection, and holds nothing back meanwhile.
  ///
  /// - Source: recorded from bluetoothd 5.66 and 5.82.
  func securityRequested() {
    guard isConnected, !isAccepted else { return }
    host.observe(.securityRequested(address))
    let agent = host.agents.agent(for: nil)
    let capability = state.linkCapability
    pairing(with: agent, holdsQueue: false) { $0.requested(agent: agent.map { _ in capability }) }
  }

  /// Handles a request that the device refused.
  ///
  /// - Parameter request: Answered when the request can be repeated; refused with
  ///   ``ErrorAnswer/noAnswer`` when it is dropped without a reply.
  /// - Returns: True if the client is not told of the refusal yet.
  /// - Source: BlueZ 5.66, `src/shared/att.c` (change_security), and recordings.
  func secure(_ code: ATTErrorCode, _ request: WaitingCall) -> Bool {
    let level = device.security
    let wanted: LinkSecurity
    switch (code, level) {
    case (.insufficientEncryption, .none), (.insufficientAuthentication, .none):
      wanted = .encrypted
    case (.insufficientAuthentication, .encrypted): wanted = .authenticated
    case (.insufficientAuthentication, .authenticated):
      state.pairing.neverAnswer(request)
      return true
    // open: ATT error codes, of which only these two ask for security
    default: return false
    }
    let agent = host.agents.agent(for: nil)
    let own = IOCapability(device.definition.pairing.method)
    let capability = state.linkCapability
    pairing(with: agent) {
      $0.secure(wanted, request, agent: agent.map { _ in capability }, device: own)
    }
    if isPairedByChannel { queue?.hold() }
    return true
  }

  // MARK: Actions

  private func pairing(
    with agent: Agent? = nil, holdsQueue: Bool = true,
    _ decide: (inout PairingMachine<WaitingCall>) -> [PairingMachine<WaitingCall>.Action]
  ) {
    let wasPairing = state.pairing.isPairing
    let actions = decide(&state.pairing)
    if !wasPairing, state.pairing.isPairing {
      state.agent = agent
      // The kernel holds the channel back until the security is there, or the connection ends.
      if isPairedByChannel, holdsQueue { queue?.hold() }
    }
    for action in actions { carryOut(action) }
    if wasPairing, !state.pairing.isPairing {
      let isBonded = actions.contains { if case .bond = $0 { true } else { false } }
      if isBonded { queue?.release() }
      resumeResolution()
    }
  }

  private func carryOut(_ action: PairingMachine<WaitingCall>.Action) {
    switch action {
    case .exchange(let number):
      // The exchange takes four packets, two in each direction.
      after(host.settings.link(device.definition.link.latency * 2)) { remote in
        let (method, passkey) = (remote.device.definition.pairing.method, remote.passkey())
        remote.pairing { $0.exchanged(number, with: method, passkey: passkey) }
      }
    case .ask(let number, let question): ask(number, question)
    case .withdraw:
      if let question = state.question { host.agents.withdraw(question) }
    case .awaitPerson(let number):
      after(host.settings.link(host.settings.personDelay)) { remote in
        remote.pairing { $0.typed(number) }
      }
    case .bond(let security):
      device.secure(security)
      state.keyring = device.keyring
      peer?.bonded(security)
      host.observe(.paired(address, security))
      state.known.isPaired = true
      reportIdentity()
      mark(Device1.bonded)
      // While services are being read, it is announced together with them.
      state.isPairedPending = !state.machine.isResolved
      if state.machine.isResolved { mark(Device1.paired) }
    case .loseLink: after(.zero) { $0.loseLink() }
    case .reportMissingAgent: log(SimulatorLogEntry.Event.agentMissing)
    case .expire(let link): expire(link)
    case .answer(let calls): answer(calls)
    case .refuse(let calls, let answer): for call in calls { call.refuse(answer) }
    case .drop(let calls): for call in calls { call.refuse(.noAnswer) }
    }
  }

  private func passkey() -> UInt32 {
    let method = device.definition.pairing.method
    return method == .justWorks || method == .reject ? 0 : device.nextPasskey()
  }

  /// Answers calls: the reply to Pair waits for the services, which are resolved for requests.
  private func answer(_ calls: [WaitingCall]) {
    guard state.machine.isResolved else { return state.paired += calls }
    for call in calls { call.answer() }
  }

  /// Without an agent, bluetoothd waits for a key until the connection ends. Up to 5.70 it ends that
  /// itself, as it counts the request as not answered.
  private func expire(_ link: Int) {
    guard !host.settings.version.has(.singleSecurityStep) else { return }
    after(host.settings.attTimeout) { remote in
      guard remote.state.pairing.isPresent(link: link) else { return }
      remote.loseLink()
      if !remote.isPaired { remote.forget() }
    }
  }

  // MARK: The agent

  private func log(_ event: String) {
    host.log?.add(at: host.loop.now.sinceStart, event, device: device.definition.address)
  }

  private func ask(_ number: Int, _ question: PairingMachine<WaitingCall>.Question) {
    guard let agent = state.agent else { return }
    log(SimulatorLogEntry.Event.agentAsked)
    let call =
      switch question {
      case .authorization: AgentCall(Agent1.requestAuthorization, path)
      case .comparison(let number): AgentCall(Agent1.requestConfirmation, (path, number))
      case .passkey: AgentCall(Agent1.requestPasskey, path)
      case .display(let number):
        AgentCall(Agent1.displayPasskey, (path, number, 0), isAnswerAwaited: false)
      }
    state.question = host.agents.ask(agent, call) { [weak self] answer in
      let reply: PairingMachine<WaitingCall>.Reply
      switch answer {
      case .success(let body):
        reply = Agent1.requestPasskey.output.decode(body).map { .passkey($0) } ?? .accepted
      case .failure: reply = .refused
      }
      self?.pairing { $0.answered(number, reply) }
    }
    after(host.settings.pairingTimeout) { remote in remote.pairing { $0.timedOut(number) } }
  }
}

extension ErrorAnswer {
  /// A marker for a call that bluetoothd drops without a reply.
  static let noAnswer = ErrorAnswer("", "")
}

extension AttributeAccess {
  /// Submits a request. If the device refuses it for lack of security, the security is raised and
  /// the request repeated, as in bluetoothd.
  ///
  /// From 5.71 on it is repeated once. It waits in the queue of its channel then, which is dropped with
  /// the connection: the request gets no response.
  ///
  /// - Source: BlueZ 5.66 and 5.82, `src/shared/att.c` (handle_error_rsp, bt_att_chan_free).
  func submit<Value: Sendable>(
    _ operation: FaultOperation, _ octets: [UInt8] = [], isRepeated: Bool = false,
    _ perform: @escaping @Sendable (@escaping DeviceProgram.Answer<Value>) -> Void,
    _ done: @escaping DeviceProgram.Answer<Value>
  ) {
    let isOnce = host.settings.version.has(.singleSecurityStep)
    queue.submit(operation, octets, perform) { result in
      guard case .failure(let code) = result, !(isOnce && isRepeated) else { return done(result) }
      let request = WaitingCall(
        answer: { submit(operation, octets, isRepeated: true, perform, done) },
        refuse: { done(.failure(isOnce || $0 == .noAnswer ? .silence : .unlikelyError)) }
      )
      if !secure(code, request) { done(result) }
    }
  }
}

extension ATTErrorCode {
  /// A marker for a missing response; no device sends it.
  static let silence = ATTErrorCode(rawValue: 0)
}

extension Invocation {
  /// Replies with the device's error, or not at all for ``ATTErrorCode/silence``.
  func refuse(by code: ATTErrorCode) {
    if code != .silence { refuse(.refused(by: code)) }
  }
}
