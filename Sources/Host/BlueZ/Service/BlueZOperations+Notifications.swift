// Notifications and indications: streams that share a subscription of bluetoothd.

import Bluetooth
import DBus
import Signals

extension BlueZOperations {
  func subscribe(
    _ selector: CharacteristicSelector, _ options: SubscriptionOptions
  ) -> Signal<Signal<NotificationEvent>> {
    Signal<Signal<NotificationEvent>>.using(
      acquire: Signal<Guarded<Subscriber>>.operation(of: scheduler, "subscribing") { [self] sink in
        let subscriber: Subscriber
        do {
          let channel = try channel(selector)
          try channel.requireOffer(of: .subscribe)
          subscriber = try await channel.subscription.subscribe(
            NotificationMailbox(options), on: try presentLink()
          )
        } catch {
          let call: ErrorSituation.Call = options.delivery == .acquire ? .acquireNotify : .notify
          throw await attributeFailure(error, call, "subscribing to", selector)
        }
        try await sink(Guarded(subscriber))
      },
      release: { [self] present in
        Signal<Void> { [self] sink in
          let subscriber = present.withLock { $0 }
          do {
            try await subscriber.subscription.unsubscribe(subscriber)
          } catch {
            throw await attributeFailure(error, .notify, "ending the subscription to", selector)
          }
          try await sink(())
        }
      },
      releaseLimit: client.limits.call
    ) { [self] present in
      .just(stream(of: present, selector))
    }
  }

  /// The number of the connection.
  ///
  /// - Throws: Why there is no connection.
  private func presentLink() throws -> SubscriptionMachine.Link {
    guard let number = link(to: try linkedDevice()).number else { throw Cause.notConnected }
    return number
  }

  private func stream(
    of present: Guarded<Subscriber>, _ selector: CharacteristicSelector
  ) -> Signal<NotificationEvent> {
    Signal { [self] sink in
      let stream = openStream
      while true {
        let entry: NotificationQueue.Entry
        do {
          entry = try await next(of: present, selector)
        } catch {
          // Whatever ends it, values are missing since then.
          if let gap = openGap(of: present) { try? await sink(.gap(gap)) }
          throw error
        }
        switch entry {
        case .value(let notification):
          if let stream {
            try await stream.whileOpen { try await sink(.value(notification)) }
          } else {
            try await sink(.value(notification))
          }
        case .dropped(let count, let from, let to):
          try await sink(.gap(NotificationGap(.overflow(dropped: count), from: from, to: to)))
        case .interrupted(let from, let to):
          try await sink(.gap(NotificationGap(.linkLost, from: from, to: to)))
        }
      }
    }
  }

  private func openGap(of present: Guarded<Subscriber>) -> NotificationGap? {
    let subscriber = present.withLock { $0 }
    let from = subscriber.subscription.openGap(of: subscriber)?.from
    return (from ?? subscriber.mailbox.movedSince).map {
      NotificationGap(.linkLost, from: $0, to: loop.now)
    }
  }

  /// The next entry, for which this subscriber may have to connect first.
  private func next(
    of present: Guarded<Subscriber>, _ selector: CharacteristicSelector
  ) async throws -> NotificationQueue.Entry {
    let mailbox = present.withLock { $0.mailbox }
    while true {
      do {
        let next = try await mailbox.next(
          on: loop, operation: "waiting for a notification of \(selector)"
        )
        switch next {
        case .entry(let entry): return entry
        case .reconnect: break
        }
      } catch let error as TimedOut {
        // The caller set this deadline, so its error needs no explanation.
        throw error
      } catch let failure as DeviceFailure {
        // The reason why a connection could not be made again.
        throw failure
      } catch {
        throw await attributeFailure(error, .notify, "listening to", selector)
      }
      try await reconnect(present, selector)
    }
  }

  // MARK: Resuming

  /// Connects again, for all subscribers that are interrupted; the subscription decides what follows.
  private func reconnect(
    _ present: Guarded<Subscriber>, _ selector: CharacteristicSelector
  ) async throws {
    let subscriber = present.withLock { $0 }
    guard let number = subscriber.subscription.acceptReconnection() else { return }
    do {
      try await connectAgain()
    } catch {
      subscriber.subscription.reconnectionFailed(
        number, SubscriptionMachine.Ending(connecting: error)
      )
      // A passed deadline or a cancellation is reported as such.
      if Task.isCancelled { try await loop.sleep(for: .zero) }
      return
    }
    if let other = try? channel(selector).subscription, other !== subscriber.subscription {
      return try await move(present, from: subscriber, number, to: other, selector)
    }
    let device = state.withLock { $0.device }
    subscriber.subscription.reconnected(number, on: device.flatMap { link(to: $0).number })
  }

  private func connectAgain() async throws {
    let former = state.withLock { $0.device }.map { link(to: $0) }
    let isKept = former?.state.withLock { $0.uses.isKept } ?? false
    let turn = Turn.current
    let held = turn.flatMap { turn in former.flatMap { $0.isHeld(by: turn) ? $0 : nil } }
    // The connection is down: a new one cannot interrupt the values of a subscription.
    try await OpenStream.$current.withValue([]) {
      let connecting = Signal<LinkOrigin>.operation(of: scheduler, "connecting") { [self] sink in
        try await sink(try await connect(keep: isKept, expecting: []))
      }
      try await connecting.run { _ in }
    }
    if let held, let turn { held.joinUses(of: turn) }
  }

  /// bluetoothd has another object for the device now: the subscriber continues there.
  private func move(
    _ present: Guarded<Subscriber>, from old: Subscriber, _ number: UInt64,
    to other: SharedSubscription, _ selector: CharacteristicSelector
  ) async throws {
    // The other subscribers follow by themselves.
    old.subscription.reconnectionFailed(number, SubscriptionMachine.Ending(Cause.linkLost))
    old.mailbox.moves(since: old.subscription.forget(old))
    do {
      let new = try await other.subscribe(old.mailbox, on: try presentLink())
      present.withLock { $0 = new }
    } catch {
      throw await attributeFailure(error, .notify, "subscribing again to", selector)
    }
  }
}
