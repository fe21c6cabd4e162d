// Listening to notifications: subscribe, trigger, then take values until there are enough.

import Bluetooth
import Signals

extension ChainRun {
  func listen(
    _ listening: Listening,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?
  ) async throws {
    let enough = listening.enough
    let measures = Guarded(StreamMeasures(from: loop.now))
    let dropped = Guarded(0)
    defer {
      let measured = measures.withLock { $0 }
      outcome = .listened(
        count: measured.count,
        rate: measured.rate(at: loop.now),
        dropped: dropped.withLock { $0 }
      )
    }
    let gap: @Sendable (NotificationGap) -> Void = { [self] gap in
      dropped.withLock { $0 += gap.dropped }
      emit(.gap(placed.reported, gap), at: gap.to)
    }
    try await follow(samples(listening, measures, gap), measures, placed, enough)
    let count = measures.withLock { $0.count }
    if enough.duration == nil, enough.silence == nil, let wanted = enough.count,
      enough.conditions.isEmpty, count < wanted
    {
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
  }

  /// The notifications that the step wants: subscribed first, then triggered.
  ///
  /// - Parameters:
  ///   - measures: Begun when the subscription is active and the trigger is written, and when there are
  ///     enough values.
  ///   - gap: Called at places where values are missing.
  private func samples(
    _ listening: Listening,
    _ measures: Guarded<StreamMeasures>,
    _ gap: @escaping @Sendable (NotificationGap) -> Void
  ) -> Signal<Sample> {
    runner.service.listening(
      to: listening.target,
      format: listening.format,
      options: listening.options,
      onGap: gap
    ) { [self] samples in
      Signal { [self] sink in
        if let trigger = listening.trigger { try await runner.service.write(trigger).run { _ in } }
        try await bounded(samples, listening.enough, measures).run(sink)
      }
    }
  }
}
