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
      while true {
        switch try await next(of: mailbox, selector) {
        case .value(let notification):
          if let stream {
            try await stream.whileOpen { try await sink(.value(notification)) }
          } else {
            try await sink(.value(notification))
          }
        case .dropped(let count, let from, let to):
          try await sink(.gap(NotificationGap(.overflow(dropped: count), from: from, to: to)))
        case .lost(let problem, let from):
          try await resume(present, selector, after: problem)
          try await sink(.gap(NotificationGap(.linkLost, from: from, to: loop.now)))
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
  private func resume(
    _ present: Guarded<Subscriber>, _ selector: CharacteristicSelector, after loss: Cause
  ) async throws {
    let end = loop.now + client.limits.resume
    var pause = Duration.milliseconds(250)
    while true {
      do {
        return try await resumeOnce(present, selector)
      } catch {
        // A passed deadline or a cancellation is reported as such.
        if Task.isCancelled { try await loop.sleep(for: .zero) }
        guard let failure = error as? DeviceFailure, failure.mayPass, loop.now + pause < end else {
          if error is DeviceFailure { throw error }
          throw await attributeFailure(error, .notify, "listening again to", selector)
        }
      }
      try await loop.sleep(for: pause)
      pause = min(pause * 2, .seconds(5))
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
        try await channel.resubscribe(old.mailbox.options.delivery)
      } else {
        // The objects were created again. The old channel receives signals of the same path: it is
        // removed first.
        old.channel.forget(old)
        let new = try await channel.subscribe(old.mailbox) { _ = try linkedDevice() }
        present.withLock { $0 = new }
      }
      old.mailbox.resumed()
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
