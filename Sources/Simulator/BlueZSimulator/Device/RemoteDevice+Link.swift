// Performs the actions of LinkMachine.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

extension RemoteDevice {
  // MARK: Calls

  func connect(_ call: Invocation) {
    let isPairing = state.pendingPair != nil || state.pairing.isPairing
    if isPairing, host.settings.version.has(.connectExcludesPair) {
      return call.refuse(.inProgress)
    }
    // A device that was connected stays known.
    state.known.isTemporary = false
    perform { $0.connect(WaitingCall(call)) }
  }

  /// Connects without a call of a client.
  func connectUnasked() { perform { $0.connect(WaitingCall(answer: {}, refuse: { _ in })) } }

  func disconnect(_ call: Invocation) { perform { $0.disconnect(WaitingCall(call)) } }

  /// RemoveDevice.
  ///
  /// - Source: BlueZ 5.66, `src/device.c` (device_remove).
  func remove(_ call: Invocation) {
    failPendingPair(.pageTimeout)
    // Recorded from bluetoothd 5.66: what no Pair has started ends with the connection.
    let endsWithLink =
      isConnected && (host.settings.version.has(.pairingByChannel) || state.pairing.isUnasked)
    state.isBeingRemoved = endsWithLink
    perform { $0.remove(WaitingCall(call)) }
    if !endsWithLink { endPairing() }
  }

  // MARK: Events

  func powerOff() { perform { $0.poweredOff() } }

  func powerOn() { state.machine.poweredOn() }

  func loseLink() {
    state.end = .timeout
    perform { $0.lost() }
    state.end = .local
  }

  /// Moves the device out of range: its connection drops, and nothing more is received.
  func vanish() {
    state.isInAir = false
    loseLink()
  }

  /// Brings the device back into range, which completes a pending connection attempt.
  func appear() {
    state.isInAir = true
    if let attempt = state.searching.take(), state.machine.isConnecting(attempt) { search(attempt) }
  }

  var isInAir: Bool { state.isInAir }

  /// Applies an action of the device itself.
  func apply(_ presence: DevicePresence) {
    switch presence {
    case .endsLink: endLink()
    case .losesLink: loseLink()
    case .leaves:
      state.isInAir = false
      endLink()
    case .comesBack: appear()
    case .requestsSecurity: securityRequested()
    }
  }

  func endLink() {
    state.end = .remote
    perform { $0.lost() }
    state.end = .local
  }

  /// The controller ignores the device when it connects, but still receives its advertisements.
  var isBlocked: Bool { state.known.isBlocked }

  /// Blocks the device, which drops its connection at once, or unblocks it.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  func setBlocked(_ isBlocked: Bool, _ call: Invocation) {
    guard self.isBlocked != isBlocked else { return call.reply() }
    state.known.isBlocked = isBlocked
    mark(Device1.blocked)
    guard isBlocked else { return call.reply() }
    state.known.isTemporary = false
    removeBattery()
    call.reply()
    after(.zero) { device in
      if device.isBlocked { device.perform { $0.lost() } }
    }
  }

  // MARK: Actions

  func perform(_ decide: (inout LinkMachine<WaitingCall>) -> [LinkMachine<WaitingCall>.Action]) {
    for action in decide(&state.machine) { carryOut(action) }
  }

  private func carryOut(_ action: LinkMachine<WaitingCall>.Action) {
    switch action {
    case .beginConnecting(let attempt): beginConnecting(attempt)
    case .raiseLink:
      if !isAccepted { host.observe(.linkUp(address)) }
      state.parameters = .ofNewLinks
      let speed = device.definition.link.speed
      if let speed { state.parameters.interval = speed.interval }
      state.phy = speed?.phy ?? .oneMegabit
      state.connections += 1
      listen()
      pace.begin(host.settings.keepsLinkDelays ? speed : nil)
      device.linkUp()
      resumeBond()
      peer?.accept()
    case .dropLink:
      if !isAccepted { host.observe(.linkDown(address)) }
      state.isAccepted = false
      pace.end()
      device.linkDown()
      attributes?.linkDown()
      peer?.endLink()
    case .beginResolving(let attempt): beginResolving(attempt)
    case .exportServices:
      if case .early(let delay) = state.resolution {
        exportServices(after: delay)
      } else {
        exportServices()
      }
    case .removeBattery: removeBattery()
    case .beginClosing(let attempt): beginClosing(attempt)
    case .markConnected:
      if !isConnected { announce(state.end) }
      mark(Device1.connected)
    case .markServicesResolved: mark(Device1.servicesResolved)
    case .failRequests:
      endPairing()
      queue?.fail()
      for call in popPaired() { call.refuse(.authenticationCanceled) }
    case .releaseSockets: attributes?.releaseSockets()
    case .forget: forget()
    case .answer(let calls): for call in calls { call.answer() }
    case .refuse(let calls, let answer): for call in calls { call.refuse(answer) }
    }
  }

  func after(_ delay: Duration, _ fire: @escaping @Sendable (RemoteDevice) -> Void) {
    host.loop.after(delay) { [weak self] in
      if let self { fire(self) }
    }
  }

  /// Tries to connect for as long as bluetoothd does, counted from when the device became
  /// unreachable.
  private func beginConnecting(_ attempt: Int) {
    guard !search(attempt) else { return }
    after(host.settings.connectTimeout) { device in
      device.perform { $0.failed(attempt, .connectAborted) }
    }
  }

  /// Connects once an advertisement is received: a controller sends its connection request in reply
  /// to one. It searches again for a device that is connected or at the edge of the range, and
  /// waits for one that is out of range.
  ///
  /// - Returns: True if an advertisement was received.
  @discardableResult
  private func search(_ attempt: Int) -> Bool {
    guard state.machine.isConnecting(attempt) else { return false }
    guard isReachable, device.isConnectable else {
      state.searching = attempt
      return false
    }
    // Recorded from bluetoothd: unblocking the device during the attempt does not help.
    guard !isBlocked else { return false }
    guard !device.isLinked, device.reaches() else {
      after(device.advertised().interval) { $0.search(attempt) }
      return false
    }
    request(attempt)
    return true
  }

  private func request(_ attempt: Int) {
    let delay = host.settings.link(device.definition.link.connectTime)
    let limit = host.settings.connectTimeout
    @Sendable func abort(_ delay: Duration) {
      after(delay) { device in device.perform { $0.failed(attempt, .connectAborted) } }
    }
    let outcome = device.nextFault(.connect).outcome
    if outcome.loss == .device, !outcome.takesEffect {
      state.isInAir = false
      return abort(limit)
    }
    // A connection that would take longer than bluetoothd waits counts as failed.
    guard let more = outcome.delay, more == .zero || delay + more < limit else {
      return abort(limit)
    }
    guard outcome.refusal == nil else { return abort(delay) }
    after(delay + more) { device in
      if let loss = outcome.loss { return device.loseNewLink(attempt, outcome, loss) }
      // For a device that left meanwhile, the attempt lasts as long as any other.
      guard device.isInAir else { return abort(max(.zero, limit - delay - more)) }
      guard device.device.establishes() else { return abort(.zero) }
      device.perform { $0.established(attempt) }
    }
  }

  /// Loses the connection right after it was made.
  private func loseNewLink(
    _ attempt: Int, _ outcome: OperationFault.Outcome, _ loss: OperationFault.Outcome.Loss
  ) {
    guard outcome.takesEffect else {
      perform { $0.flickered(attempt) }
      host.server.flush()
      return loseLink()
    }
    perform { $0.established(attempt) }
    after(.zero) { $0.lose(loss) }
  }

  private func lose(_ loss: OperationFault.Outcome.Loss) {
    switch loss {
    case .link: loseLink()
    case .device: vanish()
    }
  }

  /// Resolves the services after the pairing with which the connection began, unless that failed:
  /// bluetoothd 5.82 then reads nothing more on the connection.
  func resumeResolution() {
    guard let attempt = state.heldResolution.take(), isPaired else { return }
    resolve(attempt)
  }

  private func beginResolving(_ attempt: Int) {
    let isHeld = state.isMadeByPair && host.settings.version.has(.pairingByChannel)
    state.isMadeByPair = false
    guard isHeld else { return resolve(attempt) }
    state.heldResolution = attempt
    if !state.pairing.isPairing { resumeResolution() }
  }

  private func resolve(_ attempt: Int) {
    let delay = host.settings.link(device.definition.link.discoveryTime)
    // The device refuses encryption with PIN or Key Missing, and the kernel disconnects.
    guard !isBondLost else {
      return after(delay) { $0.loseLink(of: attempt, because: .authentication) }
    }
    let outcome = device.nextFault(.discover).outcome
    // As in bluetoothd, services that could not be read count as resolved.
    state.isDiscoveryRefused = outcome.refusal != nil || state.resolution == .empty
    if state.resolution == .never { return }
    guard let more = outcome.delay else {
      return after(host.settings.attTimeout) { $0.loseLink(of: attempt) }
    }
    after(delay + more) { device in
      switch outcome.loss {
      case .device? where !outcome.takesEffect: if device.isConnected { device.vanish() }
      case .link? where !outcome.takesEffect: device.loseLink(of: attempt)
      case .device?, .link?, nil:
        device.perform { $0.resolved(attempt) }
        if let loss = outcome.loss { device.after(.zero) { $0.lose(loss) } }
      }
    }
  }

  /// Drops the connection if it still belongs to the attempt.
  private func loseLink(of attempt: Int, because end: LinkEnd = .local) {
    state.end = end
    perform { $0.isResolving(attempt) ? $0.lost() : [] }
    state.end = .local
  }

  private func beginClosing(_ attempt: Int) {
    let outcome = device.nextFault(.disconnect).outcome
    if let loss = outcome.loss { return after(.zero) { $0.lose(loss) } }
    // Without a response the connection stays until the peer ends it.
    let settings = host.settings
    let delay = outcome.delay.map { settings.disconnectDelay + $0 } ?? settings.attTimeout
    after(delay) { device in device.perform { $0.closed(attempt) } }
  }

  // MARK: Services

  func exportServices() {
    guard !state.isDiscoveryRefused else {
      mark(Device1.servicesResolved)
      return answerPaired()
    }
    let isFirst = !state.areAttributesExported
    state.areAttributesExported = true
    attributes?.update(isExported: !isFirst)
    if isFirst { attributes?.export() }
    if state.known.found(attributes?.services ?? []) { mark(Device1.uuids) }
    mark(Device1.servicesResolved)
    readGenericAccess()
    readPnPID()
    keepServiceChanged()
    let waiters = state.resolvedWaiters
    state.resolvedWaiters = []
    for waiter in waiters { waiter() }
    attributes?.resume()
    answerPaired()
    addBattery()
  }

  /// Announces `ServicesResolved` now, and exports the services later if the connection is still
  /// up.
  func exportServices(after delay: Duration) {
    state.links += 1
    let link = state.links
    mark(Device1.servicesResolved)
    after(delay) { device in
      if device.state.links == link, device.state.machine.isResolved { device.exportServices() }
    }
  }

  /// Calls `waiter` when the services are exported: now, or once a connection has resolved them but
  /// before any client is told.
  func whenResolved(_ waiter: @escaping @Sendable () -> Void) {
    if state.machine.isResolved { waiter() } else { state.resolvedWaiters.append(waiter) }
  }

  /// Answers the Pair calls that waited for the services.
  private func answerPaired() {
    if state.isPairedPending { mark(Device1.paired) }
    state.isPairedPending = false
    for call in popPaired() { call.answer() }
  }

  private func popPaired() -> [WaitingCall] {
    defer { state.paired = [] }
    return state.paired
  }
}
