// Notifications and indications for async code.

public import Signals

extension DeviceConnection {
  /// The notifications or indications of a characteristic, for `for try await`.
  ///
  /// The iteration subscribes. Leaving the loop begins to unsubscribe; the next operation of this
  /// connection and the end of `withConnection` wait for that. While the body of the loop is busy,
  /// values wait in the buffer of the subscription, whose size and overflow rule `options` has.
  ///
  /// ```swift
  /// for try await notified in connection.notifications("heart-rate-measurement") {
  ///   if notified.value.count > 2 { break }
  /// }
  /// ```
  ///
  /// To subscribe before something is written that causes notifications, use
  /// ``subscribe(_:_:)`` or ``exchange(write:to:kind:expectingOn:where:)``.
  ///
  /// - Parameters:
  ///   - characteristic: The characteristic that notifies or indicates.
  ///   - options: How to subscribe. After a gap of a resumed subscription the values go on; the events
  ///     of ``Device/subscribe(_:_:)``, through ``values(of:)``, have the gaps, too.
  /// - Returns: The values. The iteration fails as ``Device/subscribe(_:_:)`` does, and with
  ///   `TurnEnded` after the end of the closure.
  public func notifications(
    _ characteristic: CharacteristicSelector,
    _ options: SubscriptionOptions = SubscriptionOptions()
  ) -> SignalValues<NotifiedValue> {
    values(of: device.subscribe(characteristic, options).flattenMap(\.notifications))
  }

  /// The same for a characteristic whose value has a type.
  ///
  /// ```swift
  /// for try await measured in connection.notifications(.heartRateMeasurement).prefix(3) {
  ///   print(measured.bpm, measured.rrIntervals ?? [])
  /// }
  /// ```
  ///
  /// - Returns: The values. The iteration also fails with ``MalformedValue``.
  public func notifications<Value>(
    _ characteristic: Characteristic<Value>, _ options: SubscriptionOptions = SubscriptionOptions()
  ) -> SignalValues<Value> {
    let notified = device.subscribe(characteristic.selector, options).flattenMap(\.notifications)
    return values(of: notified.tryMap { try characteristic.decode($0.value) })
  }

  /// Subscribes now, for an iteration later: what is notified meanwhile waits in the buffer.
  ///
  /// ```swift
  /// let answers = try await connection.subscribe("heart-rate-measurement")
  /// try await connection.write([1], to: "heart-rate-control-point")
  /// for try await answer in answers { print(answer.value) }
  /// ```
  ///
  /// - Returns: The values, for one iteration. The subscription ends with the last reference to them.
  /// - Throws: What the iteration of `notifications` throws.
  public func subscribe(
    _ characteristic: CharacteristicSelector,
    _ options: SubscriptionOptions = SubscriptionOptions()
  ) async throws -> sending ActiveNotifications {
    let events = device.subscribe(characteristic, options).flattenMap { stream in
      // The first value reports that the subscription is active.
      stream.notifications.map { NotifiedValue?.some($0) }.startWith(nil)
    }
    let iterator = values(of: events).makeAsyncIterator()
    _ = try await iterator.next()
    return ActiveNotifications(iterator)
  }

  /// Subscribes, writes a value, and awaits the notification that answers it, as
  /// ``Device/exchange(write:to:kind:expectingOn:options:where:)``.
  ///
  /// ```swift
  /// let exchange = try await connection.exchange(
  ///   write: [1], to: "record-access-control-point", expectingOn: "record-access-control-point")
  /// print(exchange.notification.value)
  /// ```
  public func exchange(
    write value: [UInt8], to control: CharacteristicSelector, kind: WriteKind = .automatic,
    expectingOn answer: CharacteristicSelector,
    where isAnswer: @escaping @Sendable (NotifiedValue) -> Bool = { _ in true }
  ) async throws -> Exchange {
    let signal = device.exchange(
      write: value, to: control, kind: kind, expectingOn: answer, where: isAnswer
    )
    return try await scope.first(of: signal, "writing \(control) and waiting for \(answer)")
  }
}

/// The values of a subscription that is already active, for one iteration.
///
/// They belong to one task. The subscription ends when this and its iterator are gone.
public struct ActiveNotifications: AsyncSequence {
  private let values: SignalValues<NotifiedValue?>.Iterator

  init(_ values: SignalValues<NotifiedValue?>.Iterator) {
    self.values = values
  }

  /// The one iterator: a second one goes on where the first one was left.
  public func makeAsyncIterator() -> Iterator { Iterator(values: values) }

  /// What takes the values out of the buffer.
  public struct Iterator: AsyncIteratorProtocol {
    let values: SignalValues<NotifiedValue?>.Iterator

    /// The next value.
    ///
    /// - Throws: What the iteration of `DeviceConnection.notifications` throws.
    public mutating func next() async throws -> NotifiedValue? {
      try await values.next() ?? nil
    }
  }
}
