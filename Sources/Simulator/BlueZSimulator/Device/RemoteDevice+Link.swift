// The link of a device: the effects of LinkMachine's decisions.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

extension RemoteDevice {
  // MARK: Calls

  func connect(_ call: Invocation) {
    // A device that was connected stays known.
    state.known.isTemporary = false
    perform { $0.connect(WaitingCall(call)) }
  }

  func disconnect(_ call: Invocation) { perform { $0.disconnect(WaitingCall(call)) } }

  /// RemoveDevice.
  ///
  /// - Source: BlueZ 5.66, `src/device.c` (device_remove).
  func remove(_ call: Invocation) {
    abandonPairingToCome(.pageTimeout)
    perform { $0.remove(WaitingCall(call)) }
    endPairing()
  }

  // MARK: Events

  func powerOff() { perform { $0.poweredOff() } }

  func powerOn() { state.machine.poweredOn() }

  func loseLink() {
    state.end = .timeout
    perform { $0.lost() }
    state.end = .local
  }

  /// The device is out of range: its connection drops, and nothing more is received from it.
  func vanish() {
    state.isInAir = false
    loseLink()
  }

  /// The device is back in range: a pending connection attempt reaches it.
  func appear() {
    state.isInAir = true
    if let attempt = state.searching.take(), state.machine.isConnecting(attempt) { search(attempt) }
  }

  var isInAir: Bool { state.isInAir }

  /// Performs what the device does by itself.
  func follow(_ presence: DevicePresence) {
    switch presence {
    case .endsLink: endLink()
    case .losesLink: loseLink()
    case .leaves:
      state.isInAir = false
      endLink()
    case .comesBack: appear()
    }
  }

  func endLink() {
    state.end = .remote
    perform { $0.lost() }
    state.end = .local
  }

  /// Whether the controller ignores the device when it connects. Advertisements are still received.
  var isBlocked: Bool { state.known.isBlocked }

  /// Blocks the device, which disconnects it at once, or unblocks it.
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
      listen()
      device.linkUp()
      resumeBond()
      peer?.accept()
    case .dropLink:
      if !isAccepted { host.observe(.linkDown(address)) }
      state.isAccepted = false
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
      for call in takePaired() { call.refuse(.authenticationCanceled) }
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

  /// Tries for as long as bluetoothd does, from when the device becomes unreachable.
  private func beginConnecting(_ attempt: Int) {
    guard !search(attempt) else { return }
    after(host.settings.connectTimeout) { device in
      device.perform { $0.failed(attempt, .connectAborted) }
    }
  }

  /// Connects once the device is received, as a controller does: it sends the connection request in
  /// response to an advertisement. A device that is connected, or at the edge of the range, is
  /// scanned for again; one that is out of range is waited for.
  ///
  /// - Returns: Whether it was received.
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
    let course = device.nextFault(.connect).course
    if course.loss == .device, !course.takesEffect {
      state.isInAir = false
      return abort(limit)
    }
    // A connection that takes longer than bluetoothd tries counts as failed.
    guard let more = course.delay, more == .zero || delay + more < limit else {
      return abort(limit)
    }
    guard course.refusal == nil else { return abort(delay) }
    after(delay + more) { device in
      if let loss = course.loss { return device.loseNewLink(attempt, course, loss) }
      // A device that has left meanwhile is tried for as long as any other.
      guard device.isInAir else { return abort(max(.zero, limit - delay - more)) }
      guard device.device.establishes() else { return abort(.zero) }
      device.perform { $0.established(attempt) }
    }
  }

  /// The connection is lost as soon as it is made.
  private func loseNewLink(
    _ attempt: Int, _ course: OperationFault.Course, _ loss: OperationFault.Course.Loss
  ) {
    guard course.takesEffect else {
      perform { $0.flickered(attempt) }
      host.server.flush()
      return loseLink()
    }
    perform { $0.established(attempt) }
    after(.zero) { $0.lose(loss) }
  }

  private func lose(_ loss: OperationFault.Course.Loss) {
    switch loss {
    case .link: loseLink()
    case .device: vanish()
    }
  }

  private func beginResolving(_ attempt: Int) {
    let delay = host.settings.link(device.definition.link.discoveryTime)
    // The device answers the request to encrypt with PIN or Key Missing, and the kernel disconnects.
    guard !isBondLost else {
      return after(delay) { $0.loseLink(of: attempt, because: .authentication) }
    }
    let course = device.nextFault(.discover).course
    // As in bluetoothd: services that could not be read count as resolved.
    state.isDiscoveryRefused = course.refusal != nil || state.resolution == .empty
    if state.resolution == .never { return }
    guard let more = course.delay else {
      return after(host.settings.attTimeout) { $0.loseLink(of: attempt) }
    }
    after(delay + more) { device in
      switch course.loss {
      case .device? where !course.takesEffect: if device.isConnected { device.vanish() }
      case .link? where !course.takesEffect: device.loseLink(of: attempt)
      case .device?, .link?, nil:
        device.perform { $0.resolved(attempt) }
        if let loss = course.loss { device.after(.zero) { $0.lose(loss) } }
      }
    }
  }

  /// Drops the connection if it is still the one of an attempt.
  private func loseLink(of attempt: Int, because end: LinkEnd = .local) {
    state.end = end
    perform { $0.isResolving(attempt) ? $0.lost() : [] }
    state.end = .local
  }

  private func beginClosing(_ attempt: Int) {
    let course = device.nextFault(.disconnect).course
    if let loss = course.loss { return after(.zero) { $0.lose(loss) } }
    // Without a response the connection stays until the peer ends it.
    let settings = host.settings
    let delay = course.delay.map { settings.disconnectDelay + $0 } ?? settings.attTimeout
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
    attributes?.follow(isExported: !isFirst)
    if isFirst { attributes?.export() }
    if state.known.found(attributes?.services ?? []) { mark(Device1.uuids) }
    mark(Device1.servicesResolved)
    readName()
    keepServiceChanged()
    let waiters = state.resolvedWaiters
    state.resolvedWaiters = []
    for waiter in waiters { waiter() }
    attributes?.resume()
    answerPaired()
    addBattery()
  }

  /// `ServicesResolved` is announced now, the services later, if the connection is still up.
  func exportServices(after delay: Duration) {
    state.links += 1
    let link = state.links
    mark(Device1.servicesResolved)
    after(delay) { device in
      if device.state.links == link, device.state.machine.isResolved { device.exportServices() }
    }
  }

  /// Calls `waiter` when the services are on the bus: now, or as soon as a connection has resolved
  /// them, before any client learns of it.
  func whenResolved(_ waiter: @escaping @Sendable () -> Void) {
    if state.machine.isResolved { waiter() } else { state.resolvedWaiters.append(waiter) }
  }

  /// The services are resolved: callers that waited for them after pairing get their reply.
  private func answerPaired() {
    let paired = takePaired()
    if !paired.isEmpty { mark(Device1.paired) }
    for call in paired { call.answer() }
  }

  private func takePaired() -> [WaitingCall] {
    defer { state.paired = [] }
    return state.paired
  }
}
