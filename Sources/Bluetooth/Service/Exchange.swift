// A request and the notification that answers it, as one operation.

public import Signals

/// What came of ``DeviceService/exchange(_:expectingOn:options:where:)``.
public struct Exchange: Hashable, Sendable {
  /// When the write was begun, on the loop's clock.
  public let begun: Instant
  /// When the write was answered: by the device for a request, by bluetoothd for a command.
  public let answered: Instant
  /// The notification that was waited for, with the time at which it came. That may be before
  /// ``answered``: a device may notify before it answers.
  public let notification: NotifiedValue

  public init(begun: Instant, answered: Instant, notification: NotifiedValue) {
    self.begun = begun
    self.answered = answered
    self.notification = notification
  }
}

extension DeviceService {
  /// Subscribes, writes a value, and sends what is notified in answer, once: a short form of
  /// ``exchange(_:expectingOn:options:where:)``.
  ///
  /// - Parameters:
  ///   - value: What is written once the subscription stands.
  ///   - control: Where it is written.
  ///   - kind: How it is written.
  public func exchange(
    write value: [UInt8],
    to control: CharacteristicSelector,
    kind: WriteKind = .automatic,
    expectingOn answer: CharacteristicSelector,
    options: SubscriptionOptions = SubscriptionOptions(),
    where isAnswer: @escaping @Sendable (NotifiedValue) -> Bool = { _ in true }
  ) -> Signal<Exchange> {
    let writing = write(value, to: control, kind: kind)
    return exchange(writing, expectingOn: answer, options: options, where: isAnswer)
  }

  /// Subscribes, writes, and sends what is notified in answer, once.
  ///
  /// The write's own answer and the notification may come in either order, and both are waited for.
  /// The subscription ends with it. The caller's deadline bounds all of it.
  ///
  /// - Parameters:
  ///   - writing: The write, run once the subscription stands.
  ///   - answer: The characteristic that notifies the answer.
  ///   - options: How the subscription is made.
  ///   - isAnswer: Which notification is the answer; others before it are passed over.
  /// - Returns: Fails with ``DeviceFailure``, of the subscription or of the write.
  public func exchange(
    _ writing: Signal<Void>,
    expectingOn answer: CharacteristicSelector,
    options: SubscriptionOptions = SubscriptionOptions(),
    where isAnswer: @escaping @Sendable (NotifiedValue) -> Bool = { _ in true }
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
