// Listening to notifications: subscribe, trigger, then take values until there are enough.

import Bluetooth
import Signals

extension ChainRun {
  func listen(
    _ listening: Listening,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?
  ) async throws {
    let window = Guarded<(start: Instant, end: Instant?)>((loop.now, nil))
    var count = 0
    let dropped = Guarded(0)
    defer {
      outcome = .listened(
        count: count,
        rate: rate(count, in: window.withLock { $0 }),
        dropped: dropped.withLock { $0 }
      )
    }
    let gap: @Sendable (NotificationGap) -> Void = { [self] gap in
      dropped.withLock { $0 += gap.dropped }
      emit(.gap(placed, gap))
    }
    try await limited(
      values(listening, in: window, gap),
      placed,
      late: { limit in Self.late(count, of: listening.count, within: limit) },
      { notification in
        count += 1
        try take(notification.value, listening, placed)
      }
    )
    if listening.duration == nil, let wanted = listening.count, count < wanted {
      throw DeviceFailure(
        code: .unknown,
        class: .passing,
        operation: placed.step.doing,
        device: runner.device,
        attribute: listening.target.description,
        meaning: "the notifications ended after \(count) of \(wanted) values",
        hint: ""
      )
    }
    let rate = rate(count, in: window.withLock { $0 })
    for expectation in placed.step.expectations { try expectation.check(count: count, rate: rate) }
  }

  /// The notifications that the step wants: subscribed first, then triggered.
  ///
  /// - Parameters:
  ///   - window: Told when the subscription stands and the trigger is written, and when there are
  ///     enough values.
  ///   - gap: Told of places where values are missing.
  private func values(
    _ listening: Listening,
    in window: Guarded<(start: Instant, end: Instant?)>,
    _ gap: @escaping @Sendable (NotificationGap) -> Void
  ) -> Signal<Notification> {
    let service = runner.service
    let loop = loop
    return service.subscribe(listening.target, listening.options).flattenMap { events in
      Signal { sink in
        if let trigger = listening.trigger { try await service.write(trigger).run { _ in } }
        window.withLock { $0.start = loop.now }
        var values = events.compactMap { event in
          if case .gap(let missing) = event { gap(missing) }
          return event.notification
        }
        if let duration = listening.duration {
          values = values.takeUntil(Signal<Void> { _ in try await loop.sleep(for: duration) })
        }
        if let count = listening.count { values = values.take(count) }
        try await values.run(sink)
        window.withLock { $0.end = loop.now }
      }
    }
  }

  /// Tells of a value, keeps it, and checks it.
  private func take(
    _ octets: [UInt8],
    _ listening: Listening,
    _ placed: PlacedStep
  ) throws {
    let decoded: DecodedValue
    do {
      decoded = try StepValue.decode(octets, of: listening.target, format: listening.format)
    } catch {
      emit(.value(placed, StepValue(octets: octets, decoded: nil)))
      throw error
    }
    emit(.value(placed, StepValue(octets: octets, decoded: decoded)))
    capture(decoded, as: placed.step.capture)
    for expectation in placed.step.expectations { try expectation.check(decoded, octets: octets) }
  }

  /// How many values a second came while the listening lasted.
  private func rate(_ count: Int, in window: (start: Instant, end: Instant?)) -> Double {
    let seconds = ((window.end ?? loop.now) - window.start).seconds
    guard seconds > 0 else { return count == 0 ? 0 : .infinity }
    return Double(count) / seconds
  }

  private static func late(_ count: Int, of wanted: Int?, within limit: Duration) -> String {
    guard let wanted else { return "the subscription did not stand within \(limit.written)" }
    return "\(count) of \(wanted) values came within \(limit.written)"
  }
}
