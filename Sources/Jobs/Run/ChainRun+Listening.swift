// Runs `notify`: subscribes, triggers, then receives values until a stop condition is met.

import Bluetooth
import Signals

extension ChainRun {
  func listen(
    _ listening: Listening,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?
  ) async throws {
    let stop = listening.stop
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
      measures.withLock { $0.resume(after: gap) }
      emit(.gap(placed.reported, gap), at: gap.to)
    }
    try await follow(samples(listening, measures, placed, gap), measures, placed, stop)
    let count = measures.withLock { $0.count }
    if stop.duration == nil, stop.silence == nil, let wanted = stop.count,
      stop.conditions.isEmpty, count < wanted
    {
      throw DeviceFailure(
        code: .unknown,
        class: .passing,
        operation: placed.step.doing,
        device: runner.service.deviceDescription,
        attribute: listening.target.description,
        meaning: "the notifications ended after \(count) of \(wanted) values",
        hint: ""
      )
    }
  }

  /// The notifications of the step: it subscribes first, then triggers.
  ///
  /// - Parameters:
  ///   - measures: Begun when the subscription is active and the trigger is written, and when a
  ///     stop condition is met.
  ///   - gap: Called where values are missing.
  private func samples(
    _ listening: Listening,
    _ measures: Guarded<StreamMeasures>,
    _ placed: PlacedStep,
    _ gap: @escaping @Sendable (NotificationGap) -> Void
  ) -> Signal<Sample> {
    runner.service.listening(
      to: listening.target,
      format: listening.format,
      options: listening.options,
      onGap: gap
    ) { [self] samples in
      Signal { [self] sink in
        if let trigger = listening.trigger {
          measures.withLock { $0.trigger() }
          try await runner.service.write(trigger).run { _ in }
        }
        try await bounded(samples, listening.stop, measures, placed).run(sink)
      }
    }
  }
}
