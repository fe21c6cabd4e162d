// The subscription of a characteristic, shared by all its subscribers in this program.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// One subscriber of a characteristic.
struct Subscriber: Sendable {
  let id: UInt64
  let mailbox: NotificationMailbox
  let channel: CharacteristicChannel
}

extension CharacteristicChannel {
  /// Subscribes, if this is the first subscriber, and adds the mailbox.
  ///
  /// Returns when bluetoothd has replied: what the device notifies from now on is in the mailbox,
  /// so the caller may trigger it. The first subscriber decides how the values are delivered.
  ///
  /// - Parameter requireConnection: Throws without a connection: bluetoothd then accepts StartNotify,
  ///   for the next connection.
  /// - Source: BlueZ 5.66, `src/gatt-client.c`: characteristic_start_notify, register_notify.
  func subscribe(
    _ mailbox: NotificationMailbox, requireConnection: @Sendable () throws -> Void
  ) async throws -> Subscriber {
    try await gate.pass(on: loop, operation: "subscribing to \(view.title)") {
      // From here on the end of the connection ends the mailbox.
      let subscriber = addSubscriber(mailbox)
      do {
        try requireConnection()
        try await start(mailbox.options.delivery, limit: mailbox.options.startLimit)
        return subscriber
      } catch {
        removeSubscriber(subscriber)
        stopUnwanted()
        dropRule()
        throw error
      }
    }
  }

  /// Subscribes again on a new connection, for all subscribers that are interrupted. A subscription
  /// that bluetoothd has kept does no harm: it accepts a repeated StartNotify.
  ///
  /// The connection may have dropped again by the time this returns: the mailbox is interrupted then.
  func resubscribe(
    _ mailbox: NotificationMailbox, requireConnection: @Sendable () throws -> Void
  ) async throws {
    try await gate.pass(on: loop, operation: "subscribing to \(view.title) again") {
      // Another subscriber may have resumed it.
      guard mailbox.isInterrupted else { return }
      try requireConnection()
      try await start(mailbox.options.delivery, limit: nil)
    }
  }

  /// Makes bluetoothd deliver values, unless it does. All subscribers have resumed then, unless the
  /// connection has dropped while this task waited to be resumed.
  private func start(_ delivery: SubscriptionOptions.Delivery, limit: Duration?) async throws {
    let (isRunning, isKept) = state.withLock { state in
      state.ending = nil
      return (state.isNotifying && state.isConfirmed || state.socket != nil, state.isNotifying)
    }
    if !isRunning {
      try await settle(limit: limit)
      switch delivery {
      case .signals: try await startNotify(limit: limit)
      // bluetoothd lets nobody acquire what it notifies.
      case .acquire where isKept: try await startNotify(limit: limit)
      case .acquire: try await acquireNotify(limit: limit)
      }
    }
    let (resumed, now) = (state.withLock { $0.ending == nil ? $0.subscribers : [] }, loop.now)
    for subscriber in resumed { subscriber.mailbox.resumed(at: now) }
  }

  private func startNotify(limit: Duration?) async throws {
    // First the rule, then StartNotify: no value is missed in between.
    if state.withLock({ $0.rule == nil }) {
      let rule = try await bus.subscribe(
        MatchRule(
          sender: OrgBlueZ.busName, path: view.path, interface: StandardInterface.properties,
          member: StandardInterface.propertiesChanged.name, arg0: GattCharacteristic1.interface
        )
      ) { [weak self] in self?.receive($0) }
      state.withLock { $0.rule = rule }
    }
    let wasNotifying = state.withLock { $0.isNotifying }
    do {
      let limit = limit ?? limits.attribute
      _ = try await calls.call(startCall, limit: limit, lateReply: lateStart, sending: startSending)
    } catch {
      // Its reply may still arrive for an abandoned call.
      if !(error is CancellationError || error is TimedOut) {
        state.withLock { $0.isNotifying = wasNotifying }
        startAnswered()
      }
      throw error
    }
    state.withLock { $0.isConfirmed = $0.ending == nil }
    startAnswered()
  }

  /// Waits for the reply to a StartNotify whose caller has left: until then bluetoothd refuses
  /// another start as in progress.
  ///
  /// - Source: BlueZ 5.66, `src/gatt-client.c`: characteristic_start_notify,
  ///   characteristic_acquire_notify.
  private func settle(limit: Duration?) async throws {
    guard let latest = state.withLock({ $0.latestStart }) else { return }
    // After that no reply comes any more, and the next start is sent all the same.
    let timer = loop.at(latest) { [weak self] in self?.startAnswered() }
    state.withLock { $0.isStartAwaited = true }
    defer {
      timer.cancel()
      state.withLock { $0.isStartAwaited = false }
    }
    try await state.until(startCall.operation, on: loop, limit: limit ?? limits.attribute) {
      $0.latestStart == nil ? () : nil
    }
  }

  private func startSending() {
    state.withLock { state in
      state.latestStart = loop.now + limits.attribute
      // It may have an effect without a reply.
      state.isNotifying = true
    }
  }

  /// No StartNotify is pending any more.
  private func startAnswered() {
    state.change { state in
      state.latestStart = nil
      state.isStartAwaited = false
    }
  }

  /// StartNotify was answered after its caller had left: the subscription is stopped unless another
  /// subscriber uses it. One that waits for this reply starts its own.
  ///
  /// The caller may not have removed itself yet; it then stops the subscription itself.
  private func lateStart(_ answer: Result<Message, DBusError>) {
    if case .success = answer {
      state.withLock { $0.isNotifying = true }
      stopUnwanted()
    }
    startAnswered()
  }

  /// Stops a subscription without subscribers; does not wait for the reply.
  private func stopUnwanted() {
    let isUnwanted = state.withLock { state in
      guard state.subscribers.isEmpty || state.isStartAwaited, state.isNotifying else {
        return false
      }
      (state.isNotifying, state.isConfirmed) = (false, false)
      return true
    }
    if isUnwanted { try? bus.send(stopCall.withoutReply()) }
  }

  // MARK: Ending

  /// Removes a subscriber; after the last one, stops the subscription.
  ///
  /// - Throws: What StopNotify failed with, unless the subscription has already ended.
  func unsubscribe(_ subscriber: Subscriber) async throws {
    removeSubscriber(subscriber)
    try await gate.pass(on: loop, operation: "ending a subscription to \(view.title)") {
      defer { dropRule() }
      let (isOver, socket) = state.withLock { state in
        guard state.subscribers.isEmpty, state.isNotifying || state.socket != nil else {
          return (false, AttributeSocket?.none)
        }
        defer {
          (state.isNotifying, state.isConfirmed) = (false, false)
          state.socket = nil
        }
        return (true, state.socket)
      }
      guard isOver else { return }
      // bluetoothd releases an acquired characteristic at StopNotify, before it replies; it would
      // notice the end of the socket later.
      defer { socket?.close() }
      do {
        try await calls.cleanUp(stopCall)
      } catch let error as DBusError where !Self.matters(error) {
        // The connection, the object or bluetoothd has ended first, and the subscription with it.
      } catch is BusFailure {}
    }
  }

  private static func matters(_ error: DBusError) -> Bool {
    let answer = ErrorAnswer(error)
    let code = ErrorMapping.explain(answer, ErrorSituation(.notify)).code
    return answer != .noNotifySession && code != .linkLost && code != .notConnected
      && code != .daemonMissing && code != .busLost && code != .adapterOff
  }

  private func dropRule() {
    let rule: Subscription? = state.withLock { state in
      guard state.subscribers.isEmpty else { return nil }
      defer { state.rule = nil }
      return state.rule
    }
    rule?.cancel()
  }

  private func addSubscriber(_ mailbox: NotificationMailbox) -> Subscriber {
    state.withLock { state in
      state.nextID += 1
      state.subscribers.append((state.nextID, mailbox))
      return Subscriber(id: state.nextID, mailbox: mailbox, channel: self)
    }
  }

  /// The subscriber has moved to another channel.
  func forget(_ subscriber: Subscriber) {
    removeSubscriber(subscriber)
    dropRule()
  }

  private func removeSubscriber(_ subscriber: Subscriber) {
    state.withLock { $0.subscribers.removeAll { $0.id == subscriber.id } }
  }

  /// The connection or the object has ended, or bluetoothd stopped the subscription: every stream
  /// ends or resumes.
  func end(_ problem: Cause) {
    let (socket, holds, timer) = state.withLock { state in
      defer {
        state.socket = nil
        state.causeTimer = nil
        state.ending = problem
        state.isConfirmed = false
        // The session has ended with the object or with bluetoothd.
        if problem == .objectGone || problem.failureClass == .unavailable {
          state.isNotifying = false
        }
      }
      return (state.socket, state.filter.holdsValues, state.causeTimer)
    }
    timer?.cancel()
    startAnswered()
    socket?.drain()
    socket?.close()
    let now = loop.now
    let subscribers = state.withLock { $0.subscribers }
    let finish: @Sendable () -> Void = { [self] in
      // Subscribers still receive the values that came before the end.
      deliver(state.withLock { $0.filter.linkEnded() })
      for subscriber in subscribers { subscriber.mailbox.end(problem, at: now) }
    }
    // A reply that came in the same batch still makes a held value an echo: its reader runs first.
    if holds { loop.post(finish) } else { finish() }
  }

  /// This program disconnects the device: subscriptions that wait to be resumed end.
  func endInterrupted(_ problem: Cause) {
    for subscriber in state.withLock({ $0.subscribers }) {
      subscriber.mailbox.endInterrupted(problem)
    }
  }

  // MARK: Values

  private func receive(_ message: Message) {
    if let refusal = message.refusal {
      return end(Cause.messageTooLarge(refusal.message))
    }
    guard message.body.count == 3,
      let value = message.body[1].asPropertyMap?[GattCharacteristic1.value]
    else { return }
    guard value.count <= GattCharacteristic1.longestValue else {
      return end(Cause.receivedTooLong(octets: value.count))
    }
    switch state.withLock({ $0.filter.arrived(value, at: loop.now) }) {
    case .deliver(let held):
      deliver([held])
    case .hold(let number):
      loop.after(limits.echo) { [weak self] in
        guard let self else { return }
        deliver(state.withLock { $0.filter.release(through: number) })
      }
    }
  }

  /// Delivers values to each subscriber.
  func deliver(_ values: [EchoFilter.Held]) {
    for held in values { deliver(held.value, at: held.at) }
  }

  /// Delivers a value to each subscriber.
  func deliver(_ value: [UInt8], at instant: Instant) {
    let notification = NotifiedValue(value: value, at: instant)
    for subscriber in state.withLock({ $0.subscribers }) { subscriber.mailbox.send(notification) }
  }
}
