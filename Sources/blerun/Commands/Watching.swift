// The notifications of several characteristics of one device, as events of a run.

import Bluetooth
import Jobs
import Signals

/// What `watch` does with a device.
struct Watching: Sendable {
  let service: any DeviceService
  let selectors: [CharacteristicSelector]
  let format: ValueFormat?
  let options: SubscriptionOptions
  /// How long connecting may take.
  let limit: Duration
  /// How long to watch from when the subscription is active, and after how many values it ends.
  let duration: Duration?
  let count: Int?
  let identity: RunIdentity
  let device: String
  /// Gets values, and the places where some are missing.
  let onEvent: @Sendable (RunEvent) -> Void
  /// Gets what is waited for once the device is connected.
  let onWait: @Sendable (RunWait) -> Void

  /// Connects, subscribes, reports until it ends, and disconnects what it connected.
  func values() -> Signal<Void> {
    let loop = service.scheduler.loop
    let service = service
    return Signal.using(
      acquire: service.connect(keep: false, expecting: []).timeout(limit, "connecting"),
      release: { $0 == .made ? service.disconnect() : .just(()) }
    ) { [self] _ in
      .deferred {
        let what = "watching \(selectors.map { "\($0)" }.joined(separator: ", "))"
        onWait(RunWait(what: what, begun: loop.now, limit: duration, values: count))
        let values = merged(since: loop.now)
        return count.map { values.take($0) } ?? values
      }
    }
  }

  private func merged(since start: Instant) -> Signal<Void> {
    let places = StepPosition.place(
      selectors.map { Step(.notify(Listening(to: $0, format: format, options: options))) }
    )
    return Signal<PlacedStep> { sink in for place in places { try await sink(place) } }
      .flattenMap(.merge(limit: places.count)) { [self] placed in
        values(placed, since: start)
      }
  }

  private func values(_ placed: PlacedStep, since start: Instant) -> Signal<Void> {
    guard case .notify(let listening) = placed.step.action else { return .just(()) }
    let step = placed.reported
    let gap: @Sendable (NotificationGap) -> Void = { [self] in
      report(.gap(step, $0), at: $0.to, since: start)
    }
    return service.listening(
      to: listening.target,
      format: listening.format,
      options: listening.options,
      onGap: gap
    ) { [self] samples in
      var samples = samples
      if let duration { samples = samples.takeUntil(Signal.just(()).delay(duration)) }
      return samples.map { report(.value(step, $0.value), at: $0.arrival, since: start) }
    }
  }

  private func report(_ change: RunEvent.Change, at instant: Instant, since start: Instant) {
    onEvent(
      RunEvent(
        run: identity,
        device: device,
        attempt: 1,
        offset: instant - start,
        wallClock: service.scheduler.loop.wallClockAtStart + instant.sinceStart,
        change: change
      )
    )
  }
}
