// A request and the notification that answers it, as one operation.

public import Signals

/// The result of ``Device/exchange(write:to:kind:expectingOn:options:where:)``.
public struct Exchange: Hashable, Sendable {
  /// The start of the write, on the loop's clock.
  public let begun: Instant
  /// The time at which the write was confirmed: by the device for a request, by bluetoothd for a command.
  public let answered: Instant
  /// The matching notification, with the time of its arrival. That may be before ``answered``: a
  /// device may notify before it responds.
  public let notification: NotifiedValue

  /// A write and the notification that answered it.
  public init(begun: Instant, answered: Instant, notification: NotifiedValue) {
    self.begun = begun
    self.answered = answered
    self.notification = notification
  }
}

extension Device {
  /// Subscribes, writes a value, and sends the matching notification, once.
  ///
  /// The response to the write and the notification may arrive in either order; this waits for
  /// both. The subscription ends with it. The caller's deadline bounds all of it.
  ///
  /// ```swift
  /// let count = thermometer.session {
  ///   thermometer.exchange(
  ///     write: [4, 1], to: "record-access-control-point",
  ///     expectingOn: "record-access-control-point") { $0.value.count == 4 }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - value: The value to write once the subscription is active.
  ///   - control: The characteristic to write.
  ///   - kind: The kind of write.
  ///   - answer: The characteristic that notifies the answer.
  ///   - options: How the notifications are delivered and buffered.
  ///   - isAnswer: Whether a notification is the answer; earlier ones are ignored.
  /// - Returns: Fails with ``DeviceFailure``, of the subscription or of the write.
  public func exchange(
    write value: [UInt8], to control: CharacteristicSelector, kind: WriteKind = .automatic,
    expectingOn answer: CharacteristicSelector,
    options: SubscriptionOptions = SubscriptionOptions(),
    where isAnswer: @escaping @Sendable (NotifiedValue) -> Bool = { _ in true }
  ) -> Signal<Exchange> {
    let writing = write(value, to: control, kind: kind)
    return exchange(writing, expectingOn: answer, options: options, where: isAnswer)
  }

  /// Exchanges with any write.
  package func exchange(
    _ writing: Signal<Void>, expectingOn answer: CharacteristicSelector,
    options: SubscriptionOptions, where isAnswer: @escaping @Sendable (NotifiedValue) -> Bool
  ) -> Signal<Exchange> {
    let loop = scheduler.loop
    return subscribe(answer, options).flattenMap { events in
      Signal<Exchange> { sink in
        let begun = loop.now
        try await writing.run { _ in }
        let answered = loop.now
        var found: NotifiedValue?
        try await events.notifications.filter(isAnswer).take(1).run { found = $0 }
        guard let found else { throw NoValue(operation: "waiting for an answer on \(answer)") }
        try await sink(Exchange(begun: begun, answered: answered, notification: found))
      }
    }
  }
}
