// The subscription of one characteristic: performs the actions that its machine decides on.
//
// It decides nothing itself. Events come from the callbacks of the bus, in the order of the wire, from
// timers, and from the tasks of subscribers, which may run on any thread. An event that arrives while
// the actions of another one are performed waits for them, whichever thread it comes from; so a batch
// of messages is a sequence of events, and no task that resumes later sees half of one.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// One subscriber of a characteristic.
struct Subscriber: Sendable {
  let id: SubscriptionMachine.SubscriberID
  let mailbox: NotificationMailbox
  let subscription: SharedSubscription
}

/// The subscription of a characteristic, shared by all its subscribers in this program.
final class SharedSubscription: Sendable {
  typealias Ending = SubscriptionMachine.Ending
  private typealias Work = @Sendable () -> Void

  /// The calls of a characteristic, at the path where it is now.
  private struct Place: Sendable {
    let view: CharacteristicView
    let start: MethodCall
    let acquire: MethodCall
    let stop: MethodCall

    init(_ view: CharacteristicView) {
      self.view = view
      start = .bluez(view.path, GattCharacteristic1.startNotify)
      acquire = .bluez(view.path, GattCharacteristic1.acquireNotify, [:])
      stop = .bluez(view.path, GattCharacteristic1.stopNotify)
    }
  }

  private struct State {
    var machine: SubscriptionMachine
    var place: Place
    var filter = EchoFilter()
    /// The number of the last connection that has ended.
    var endedLink: SubscriptionMachine.Link = 0
    var lastID: UInt64 = 0
    var mailboxes: [(id: UInt64, mailbox: NotificationMailbox)] = []
    /// Events that wait for the actions of another one.
    var waiting: [Work] = []
    var isBusy = false
    var timer: (at: Instant, timer: LoopTimer)?
    var rule: Subscription?
    var isRuleWanted = false
    var isRuleOpening = false
    /// The StartNotify that is sent as soon as the match rule is accepted.
    var dueStart: UInt64?
    /// The last call that begins a subscription, while it has no reply.
    var pendingStart: UInt64?
    /// The subscribers that a drop failed during a call to begin, by the number of the call: its
    /// reply may tell more about the failure than the drop does.
    var uninformed: [UInt64: [(mailbox: NotificationMailbox, ending: Ending)]] = [:]
    var sockets: [SubscriptionMachine.SocketID: AttributeSocket] = [:]
    var lastSocket: SubscriptionMachine.SocketID = 0
    var reconnection: UInt64 = 0
    /// The number of the reconnection that is wanted.
    var wantedReconnection: UInt64?
  }

  private let calls: AttributeCalls
  private let bus: MessageBus
  private let limits: BlueZLimits
  private let state: Guarded<State>
  /// Whether a StopNotify has no reply yet, and the subscription has no subscribers.
  private let isEnding = Awaited(false)

  init(
    of view: CharacteristicView, _ calls: AttributeCalls, bus: MessageBus, limits: BlueZLimits,
    link: SubscriptionMachine.Link?
  ) {
    self.calls = calls
    self.bus = bus
    self.limits = limits
    let machine = SubscriptionMachine(link: link, limits: SubscriptionMachine.Limits(limits))
    state = Guarded(State(machine: machine, place: Place(view)))
  }

  var loop: Loop { bus.loop }

  /// The characteristic, as it was last seen.
  var view: CharacteristicView { state.withLock { $0.place.view } }

  /// Whether the subscription has subscribers.
  var isUsed: Bool { state.withLock { !$0.mailboxes.isEmpty } }

  // MARK: Subscribers

  /// Subscribes, if this is the first subscriber, and adds the mailbox.
  ///
  /// Returns when bluetoothd has replied: what the device notifies from now on is in the mailbox, so
  /// the caller may trigger it. The first subscriber decides how the values are delivered.
  ///
  /// - Parameter link: The connection that is up.
  /// - Source: BlueZ 5.66, `src/gatt-client.c`: characteristic_start_notify, register_notify.
  func subscribe(
    _ mailbox: NotificationMailbox, on link: SubscriptionMachine.Link
  ) async throws -> Subscriber {
    let id = state.withLock { state in
      state.lastID += 1
      state.mailboxes.append((state.lastID, mailbox))
      return state.lastID
    }
    applyInOrder(.linkUp(link))
    applyInOrder(.subscribe(id, mailbox.options))
    do {
      try await mailbox.untilBegun(on: loop, operation: "subscribing to \(view.title)")
    } catch {
      applyInOrder(.leave(id))
      throw error
    }
    return Subscriber(id: id, mailbox: mailbox, subscription: self)
  }

  /// Removes a subscriber; after the last one, stops the subscription.
  ///
  /// - Throws: The error of StopNotify, unless the subscription has already ended.
  func unsubscribe(_ subscriber: Subscriber) async throws {
    let operation = "ending a subscription to \(view.title)"
    do {
      if subscriber.mailbox.hasLeft {
        // The subscriber is removed already, but it also waits for the pending StopNotify.
        return try await isEnding.until(operation, on: loop) { $0 ? nil : () }
      }
      applyInOrder(.leave(subscriber.id))
      try await subscriber.mailbox.untilLeft(on: loop, operation: operation)
    } catch let error as TimedOut {
      calls.cleanUpUnanswered()
      throw error
    }
  }

  /// Removes a subscriber that moves to another subscription.
  ///
  /// - Returns: The time since when it misses values.
  func forget(_ subscriber: Subscriber) -> Instant {
    let gap = openGap(of: subscriber)
    state.withLock { $0.mailboxes.removeAll { $0.id == subscriber.id } }
    applyInOrder(.leave(subscriber.id))
    return gap?.from ?? loop.now
  }

  /// The gap in which a subscriber is missing values; nil when it is not interrupted.
  func openGap(of subscriber: Subscriber) -> SubscriptionMachine.Gap? {
    let now = loop.now
    return state.withLock { $0.machine.openGap(of: subscriber.id, to: now) }
  }

  // MARK: The connection and the object

  /// A connection is up, and its services are resolved.
  func linkUp(_ link: SubscriptionMachine.Link) { applyInOrder(.linkUp(link)) }

  /// The connection has ended.
  ///
  /// - Parameter number: The number of the connection, if its services were resolved.
  func linkDown(_ cause: Cause, of number: SubscriptionMachine.Link?) {
    let link = state.withLock { state in
      state.endedLink = max(state.endedLink, number ?? 0)
      return state.machine.link
    }
    flush { [self] in
      // Another connection may be up by now; its coming up has ended this one.
      let present = state.withLock { $0.machine.link }
      if present == link { applyInOrder(.linkDown(Ending(cause))) }
    }
  }

  /// The object was removed.
  func objectRemoved(_ cause: Cause) {
    flush { [self] in applyInOrder(.objectRemoved(Ending(cause))) }
  }

  /// The characteristic is there again.
  ///
  /// Its removal may still wait for the values that are held for a read: it comes first.
  func objectRestored(_ view: CharacteristicView) {
    flush { [self] in
      state.withLock { $0.place = Place(view) }
      applyInOrder(.objectRestored)
    }
  }

  /// This program disconnects the device: a subscription that waits to be resumed ends.
  func disconnecting(_ cause: Cause) { applyInOrder(.disconnecting(Ending(cause))) }

  /// Passes on the values that are held for a read, then calls `body`.
  ///
  /// A reply that came in the same batch still makes a held value an echo: its reader runs first.
  private func flush(_ body: @escaping @Sendable () -> Void) {
    guard state.withLock({ $0.filter.holdsValues }) else { return body() }
    loop.post { [self] in
      deliver(state.withLock { $0.filter.linkEnded() })
      body()
    }
  }

  // MARK: Reconnecting

  /// Makes the calling subscriber responsible for the connection that is wanted.
  ///
  /// - Returns: The number for reporting the result; nil if another subscriber already makes the
  ///   connection.
  func acceptReconnection() -> UInt64? {
    let (number, mailboxes) = state.withLock { state in
      defer { state.wantedReconnection = nil }
      return (state.wantedReconnection, state.mailboxes)
    }
    for entry in mailboxes { entry.mailbox.mayReconnect(false) }
    return number
  }

  /// The connection that was wanted is made.
  ///
  /// - Parameter link: The number of the connection; nil when it has dropped again.
  func reconnected(_ number: UInt64, on link: SubscriptionMachine.Link?) {
    guard let link else { return reconnectionFailed(number, Ending(Cause.linkLost)) }
    applyInOrder(.linkUp(link))
  }

  /// The connection that was wanted could not be made.
  func reconnectionFailed(_ number: UInt64, _ ending: Ending) {
    guard state.withLock({ $0.reconnection == number }) else { return }
    applyInOrder(.connectFailed(ending))
  }

  // MARK: Reads

  /// Called before this program sends a read.
  func readBegan() { state.withLock { $0.filter.readBegan() } }

  /// A read has ended, with a value or without one.
  func readEnded(_ value: [UInt8]?, from offset: Int) {
    deliver(state.withLock { $0.filter.readEnded(with: value, from: offset) })
  }

  /// Whether a value that arrives now is held, as it may be an echo.
  var holdsValues: Bool { state.withLock { $0.filter.isReading } }

  // MARK: Values

  private func receive(_ message: Message) {
    if let refusal = message.refusal {
      return applyInOrder(.spoiled(Ending(Cause.messageTooLarge(refusal.message))))
    }
    guard message.body.count == 3,
      let value = message.body[1].asPropertyMap?[GattCharacteristic1.value],
      isAcceptable(value)
    else { return }
    switch state.withLock({ $0.filter.arrived(value, at: loop.now) }) {
    case .deliver(let held): deliver([held])
    case .hold(let number):
      loop.after(limits.echo) { [weak self] in
        guard let self else { return }
        deliver(state.withLock { $0.filter.release(through: number) })
      }
    }
  }

  /// Whether a value does not exceed the maximum length; a longer one ends the subscription.
  private func isAcceptable(_ value: [UInt8]) -> Bool {
    if value.count <= GattCharacteristic1.longestValue { return true }
    applyInOrder(.spoiled(Ending(Cause.receivedTooLong(octets: value.count))))
    return false
  }

  /// Delivers values to each subscriber, after the gaps that they end.
  private func deliver(_ values: [EchoFilter.Held]) {
    guard !values.isEmpty else { return }
    inOrder { [self] in
      for held in values {
        if !state.withLock({ $0.machine.isSteady }) { apply(.value) }
        send(NotifiedValue(value: held.value, at: held.at))
      }
    }
  }

  private func deliver(_ packet: [UInt8], of socket: SubscriptionMachine.SocketID) {
    guard isAcceptable(packet) else { return }
    let now = loop.now
    inOrder { [self] in
      if !state.withLock({ $0.machine.isSteady }) { apply(.value) }
      send(NotifiedValue(value: packet, at: now))
    }
  }

  private func send(_ notification: NotifiedValue) {
    for entry in state.withLock({ $0.mailboxes }) { entry.mailbox.send(notification) }
  }

  // MARK: Events and actions

  private func applyInOrder(_ event: SubscriptionMachine.Event) {
    inOrder { [self] in apply(event) }
  }

  /// Runs `work` when the actions of all earlier events have been performed.
  private func inOrder(_ work: @escaping Work) {
    let isFree = state.withLock { state in
      state.waiting.append(work)
      defer { state.isBusy = true }
      return !state.isBusy
    }
    guard isFree else { return }
    while let next = state.withLock({ state -> Work? in
      guard let next = state.waiting.first else {
        state.isBusy = false
        return nil
      }
      state.waiting.removeFirst()
      return next
    }) { next() }
  }

  private func apply(_ event: SubscriptionMachine.Event) {
    let now = loop.now
    let actions = state.withLock { state -> [SubscriptionMachine.Action] in
      // The connection dropped between the caller's check and this call.
      if case .linkUp(let link) = event, link <= state.endedLink { return [] }
      return state.machine.apply(event, at: now)
    }
    for action in actions { perform(action, now) }
    setTimer()
    let isStopping = state.withLock { state in
      state.machine.session.stop != nil && state.machine.subscribers.isEmpty
    }
    if isEnding.withLock({ $0 }) != isStopping { isEnding.change { $0 = isStopping } }
  }

  private func perform(_ action: SubscriptionMachine.Action, _ now: Instant) {
    switch action {
    case .addRule: openRule()
    case .removeRule:
      let rule = state.withLock { state in
        defer { (state.rule, state.isRuleWanted) = (nil, false) }
        return state.rule
      }
      rule?.cancel()
    case .sendStart(let number, .signals):
      state.withLock { $0.dueStart = number }
      if state.withLock({ $0.rule != nil }) { sendDueStart() } else { openRule() }
    case .sendStart(let number, .acquire): sendAcquire(number)
    case .sendStop(let number): sendStop(number)
    case .close(let socket): close(socket, now)
    case .reconnect: offerReconnection()
    case .cancelReconnect: _ = acceptReconnection()
    case .began(let id): mailbox(id)?.began(at: now)
    case .gap(let id, let gap): mailbox(id)?.add(gap)
    case .ended(let id, let ending, let gap): end(id, ending, gap)
    }
  }

  private func mailbox(_ id: UInt64) -> NotificationMailbox? {
    state.withLock { $0.mailboxes.first { $0.id == id }?.mailbox }
  }

  private func end(_ id: UInt64, _ ending: Ending?, _ gap: SubscriptionMachine.Gap?) {
    let (mailbox, waits) = state.withLock { state -> (NotificationMailbox?, Bool) in
      guard let place = state.mailboxes.firstIndex(where: { $0.id == id }) else {
        return (nil, false)
      }
      let mailbox = state.mailboxes.remove(at: place).mailbox
      guard let ending, ending.isLoss, state.machine.link == nil, let call = state.pendingStart,
        !mailbox.hasBegun
      else { return (mailbox, false) }
      state.uninformed[call, default: []].append((mailbox, ending))
      return (mailbox, true)
    }
    if !waits { mailbox?.end(ending?.error, open: gap) }
  }

  private func offerReconnection() {
    let mailboxes = state.withLock { state in
      state.reconnection += 1
      state.wantedReconnection = state.reconnection
      return state.mailboxes
    }
    for entry in mailboxes { entry.mailbox.mayReconnect(true) }
  }

  private func setTimer() {
    let (due, old): (Instant?, LoopTimer?) = state.withLock { state in
      let deadline = state.machine.deadline
      guard deadline != state.timer?.at else { return (nil, nil) }
      defer { state.timer = nil }
      return (deadline, state.timer?.timer)
    }
    old?.cancel()
    guard let due else { return }
    let timer = loop.at(due) { [weak self] in
      guard let self else { return }
      state.withLock { if $0.timer?.at == due { $0.timer = nil } }
      applyInOrder(.timePassed)
    }
    state.withLock { $0.timer = (due, timer) }
  }

  // MARK: Calls

  /// Subscribes to the values on the bus, then sends the StartNotify that is due.
  private func openRule() {
    let path = state.withLock { state -> ObjectPath? in
      state.isRuleWanted = true
      guard state.rule == nil, !state.isRuleOpening else { return nil }
      state.isRuleOpening = true
      return state.place.view.path
    }
    guard let path else { return }
    _ = loop.task { [self] in
      do {
        let rule = try await bus.subscribe(
          MatchRule(
            sender: OrgBlueZ.busName, path: path, interface: StandardInterface.properties,
            member: StandardInterface.propertiesChanged.name, arg0: GattCharacteristic1.interface
          )
        ) { [weak self] in self?.receive($0) }
        ruleOpened(rule, at: path)
      } catch {
        let due = state.withLock { state in
          defer { (state.dueStart, state.isRuleOpening) = (nil, false) }
          return state.dueStart
        }
        if let due { startReplied(due, .notify, .failure(error)) }
      }
    }
  }

  private func ruleOpened(_ rule: Subscription, at path: ObjectPath) {
    let (isRight, isWanted) = state.withLock { state in
      state.isRuleOpening = false
      let isRight = state.isRuleWanted && state.place.view.path == path
      if isRight { state.rule = rule }
      return (isRight, state.isRuleWanted)
    }
    if isRight { return sendDueStart() }
    rule.cancel()
    // The characteristic has moved meanwhile.
    if isWanted { openRule() } else { sendDueStart() }
  }

  private func sendDueStart() {
    let (due, call) = state.withLock { state in
      defer { state.dueStart = nil }
      return (state.dueStart, state.place.start)
    }
    guard let due else { return }
    // Its caller timed out or was cancelled, or its connection has dropped.
    guard state.withLock({ $0.machine.isWanted(start: due) }) else {
      return applyInOrder(.startReplied(due, .failure(Ending(Cause.linkLost))))
    }
    state.withLock { $0.pendingStart = due }
    calls.send(call) { [self] reply in
      startReplied(due, .notify, reply.map { _ in .signals })
    }
  }

  private func sendAcquire(_ number: UInt64) {
    state.withLock { $0.pendingStart = number }
    let call = state.withLock { $0.place.acquire }
    // AcquireNotify gets no reply either when the device refuses the subscription (5.66).
    calls.send(call, isConclusive: false) { [self] reply in
      startReplied(
        number, .acquireNotify,
        reply.flatMap { message in
          guard
            let acquired = CharacteristicChannel.Acquired(
              message, GattCharacteristic1.acquireNotify)
          else { return .failure(ErrorMapping.unknown(ErrorSituation(.acquireNotify))) }
          return .success(.socket(open(acquired)))
        })
    }
  }

  private func startReplied(
    _ number: UInt64, _ call: ErrorSituation.Call,
    _ reply: Result<SubscriptionMachine.Carrier, any Error>
  ) {
    let uninformed = state.withLock { state in
      if state.pendingStart == number { state.pendingStart = nil }
      return state.uninformed.removeValue(forKey: number) ?? []
    }
    for (mailbox, ending) in uninformed {
      if case .failure(let error) = reply {
        mailbox.end(error, open: nil)
      } else {
        mailbox.end(ending.error, open: nil)
      }
    }
    let situation = ErrorSituation(call)
    applyInOrder(.startReplied(number, reply.mapError { Ending(callFailed: $0, situation) }))
  }

  private func sendStop(_ number: UInt64) {
    let call = state.withLock { $0.place.stop }
    calls.sendCleanUp(call) { [self] reply in
      var ending: Ending?
      if case .failure(let error) = reply, Self.matters(error) {
        ending = Ending(kind: .transient, error: error)
      }
      applyInOrder(.stopReplied(number, ending))
    }
  }

  /// Whether an error of StopNotify leaves the subscription in doubt. It does not if the
  /// connection, the object or bluetoothd ended first, because the subscription ended with it.
  private static func matters(_ error: any Error) -> Bool {
    guard let error = error as? DBusError else { return false }
    let code = ErrorMapping.explain(ErrorAnswer(error), ErrorSituation(.notify)).code
    return error.refusal != .noNotifySession && code != .linkLost && code != .notConnected
      && code != .daemonMissing && code != .busLost && code != .adapterOff
  }

  // MARK: Sockets

  /// Watches a socket, whose values arrive from now on.
  private func open(_ acquired: CharacteristicChannel.Acquired) -> SubscriptionMachine.SocketID {
    let id = state.withLock { state in
      state.lastSocket += 1
      return state.lastSocket
    }
    let socket = AttributeSocket(
      acquired.descriptor, on: loop,
      received: { [weak self] in self?.deliver($0, of: id) },
      ended: { [weak self] in self?.applyInOrder(.socketEnded(id)) }
    )
    state.withLock { $0.sockets[id] = socket }
    return id
  }

  private func close(_ id: SubscriptionMachine.SocketID, _ now: Instant) {
    guard let socket = state.withLock({ $0.sockets.removeValue(forKey: id) }) else { return }
    for packet in socket.remaining() where packet.count <= GattCharacteristic1.longestValue {
      send(NotifiedValue(value: packet, at: now))
    }
    socket.close()
  }
}

extension SubscriptionMachine.Ending {
  /// - Parameter error: The error of a call, before it is known what else happened to the host.
  init(callFailed error: any Error, _ situation: ErrorSituation) {
    let cause = Cause(error, situation)
    let kind = cause.map { Kind(code: $0.code, isTransient: $0.failureClass == .passing) }
    self.init(kind: kind ?? .transient, error: error)
  }

  /// - Parameter error: The failure of a reconnection.
  init(connecting error: any Error) {
    let failure = error as? DeviceFailure
    let kind = failure.map { Kind(code: $0.code, isTransient: $0.class == .passing) }
    self.init(kind: kind ?? .transient, error: error)
  }
}
