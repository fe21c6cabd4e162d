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
          subscriber = try await channel.subscribe(NotificationMailbox(options)) {
            _ = try linkedDevice()
          }
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
            try await subscriber.channel.unsubscribe(subscriber)
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

  private func stream(
    of present: Guarded<Subscriber>, _ selector: CharacteristicSelector
  ) -> Signal<NotificationEvent> {
    let mailbox = present.withLock { $0.mailbox }
    return Signal { [self] sink in
      let stream = openStream
      var pause = Duration.zero
      while true {
        switch try await next(of: mailbox, selector) {
        case .value(let notification):
          pause = .zero
          if let stream {
            try await stream.whileOpen { try await sink(.value(notification)) }
          } else {
            try await sink(.value(notification))
          }
        case .dropped(let count, let from, let to):
          try await sink(.gap(NotificationGap(.overflow(dropped: count), from: from, to: to)))
        case .lost(let from, let until):
          do {
            try await resume(present, selector, &pause)
          } catch {
            // Whatever ends it, values are missing since then.
            let gap = NotificationGap(.linkLost, from: from, to: until ?? loop.now)
            try? await sink(.gap(gap))
            throw error
          }
          let to = until ?? mailbox.takeGapEnd() ?? loop.now
          try await sink(.gap(NotificationGap(.linkLost, from: from, to: to)))
        }
      }
    }
  }

  private func next(
    of mailbox: NotificationMailbox, _ selector: CharacteristicSelector
  ) async throws -> NotificationQueue.Entry {
    do {
      return try await mailbox.next(
        on: loop, operation: "waiting for a notification of \(selector)"
      )
    } catch let error as TimedOut {
      // No value was due: the caller sets the deadline, and so decides how long to wait.
      throw error
    } catch {
      throw await attributeFailure(error, .notify, "listening to", selector)
    }
  }

  // MARK: Resuming

  /// Connects and subscribes again, as often as necessary within the limit.
  ///
  /// - Parameter pause: The time before the next attempt. It grows until a value arrives: a device that
  ///   drops each connection is connected as seldom as one that is not there.
  private func resume(
    _ present: Guarded<Subscriber>, _ selector: CharacteristicSelector, _ pause: inout Duration
  ) async throws {
    let mailbox = present.withLock { $0.mailbox }
    let end = loop.now + client.limits.resume
    // Another subscriber may resume it, and our own disconnect ends it.
    while mailbox.isInterrupted {
      if pause > .zero { try await loop.sleep(for: pause) }
      pause = max(.milliseconds(250), min(pause * 2, .seconds(5)))
      guard mailbox.isInterrupted else { return }
      do {
        try await resumeOnce(present, selector)
      } catch {
        // A passed deadline or a cancellation is reported as such.
        if Task.isCancelled { try await loop.sleep(for: .zero) }
        guard mailbox.isInterrupted else { return }
        guard let failure = error as? DeviceFailure, failure.mayPass, loop.now + pause < end else {
          if error is DeviceFailure { throw error }
          throw await attributeFailure(error, .notify, "listening again to", selector)
        }
      }
    }
  }

  private func resumeOnce(
    _ present: Guarded<Subscriber>, _ selector: CharacteristicSelector
  ) async throws {
    let isKept =
      state.withLock { $0.device }
      .map { link(to: $0).state.withLock { $0.isKept } } ?? false
    // The connection has ended: no subscription of it can lose values by this.
    try await OpenStream.$current.withValue([]) {
      let connecting = Signal<LinkOrigin>.operation(of: scheduler, "connecting") { [self] sink in
        try await sink(try await connect(keep: isKept, expecting: []))
      }
      try await connecting.run { _ in }
    }
    let old = present.withLock { $0 }
    do {
      let channel = try channel(selector)
      if channel === old.channel {
        try await channel.resubscribe(old.mailbox) { _ = try linkedDevice() }
      } else {
        // The objects were created again. The old channel receives signals of the same path: it is
        // removed first.
        old.channel.forget(old)
        let new = try await channel.subscribe(old.mailbox) { _ = try linkedDevice() }
        present.withLock { $0 = new }
      }
      // The connection may have dropped behind the reply.
      if old.mailbox.isInterrupted { throw Cause.linkLost }
    } catch {
      throw await attributeFailure(error, .notify, "subscribing again to", selector)
    }
  }
}

extension DeviceFailure {
  /// Whether another attempt to resume can help. A characteristic that was there before may be missing
  /// only until bluetoothd has read the services of the device again.
  fileprivate var mayPass: Bool {
    `class` == .passing || code == .characteristicMissing || code == .serviceMissing
  }
}
