// A connected device, for async code.

public import Signals

/// A connection that `withConnection(within:expecting:_:)` of a ``Device`` made, for the
/// time of its closure.
///
/// Its ``ConnectionOperations`` may be called from any task, and belong to the turn of the connection.
/// Besides their own failures they throw `TurnEnded` once the closure has returned, and
/// `OtherScheduler` inside a turn of another scheduler.
///
/// Operations of concurrent tasks are sent as they come. A read waits for nothing but this: where a
/// loop over values was left early, the next operation waits until its subscription has ended.
public final class DeviceConnection: DeviceRequestPerformer {
  /// The device, for signals that this type has no function for: see ``first(of:)``.
  public let device: any Device
  /// Whether this connection was made here, or existed before and is left up.
  public let origin: LinkOrigin
  let scope: TurnScope

  init(to device: any Device, origin: LinkOrigin, in scope: TurnScope) {
    self.device = device
    self.origin = origin
    self.scope = scope
  }

  // MARK: Any signal

  /// Awaits the first value of a signal of this device.
  ///
  /// ```swift
  /// let level = try await connection.first(
  ///   of: connection.device.read(.batteryLevel).timeout(.seconds(2)))
  /// ```
  ///
  /// - Throws: The signal's failure, `NoValue` for an empty completion; what every operation throws.
  public func first<Value: Sendable>(of signal: Signal<Value>) async throws -> Value {
    try await scope.first(of: signal, "an operation")
  }

  /// The values of a signal of this device, for `for try await`.
  ///
  /// The signal starts with the iteration. Leaving the loop cancels it; the next operation and the end
  /// of `withConnection` wait until its clean-up is done.
  ///
  /// ```swift
  /// let device = connection.device
  /// let levels = Signal.poll(every: .seconds(5)) { device.read(.batteryLevel) }
  /// for try await level in connection.values(of: levels).prefix(10) { print(level) }
  /// ```
  public func values<Value: Sendable>(of signal: Signal<Value>) -> SignalValues<Value> {
    scope.values(of: signal)
  }

  // MARK: Operations

  /// Performs an operation in the turn of the connection.
  public func perform<Output: Sendable>(
    _ request: DeviceRequest<Output>
  ) async throws -> Output {
    let operation = device.operation(request.name) { try await request.perform(on: $0) }
    return try await scope.first(of: operation, request.name)
  }
}

// MARK: Notifications and indications

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

  /// The notifications of a characteristic whose value has a type.
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

  /// Reads the values from the buffer.
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
