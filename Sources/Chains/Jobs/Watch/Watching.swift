// Watches several characteristics of several devices, in one turn.
//
// Thin: WatchState decides what comes of what happens.

package import Bluetooth
package import Signals

/// A watch under way.
///
/// All devices are watched side by side in one turn of one scheduler, which owns their connections:
/// what was connected is disconnected, however the watch ends, unless another watch uses it, too. A
/// device that cannot be connected, and one whose connection drops, is tried again after a pause.
package struct Watching: Sendable {
  private let plan: WatchPlan
  private let series: [WatchPlan.Series]
  private let services: [any Device]
  private let loop: Loop
  private let receive: @Sendable (WatchOutput) -> Void
  private let follow: @Sendable (RunWait) -> Void
  private let stop: Signal<Void>
  private let state: Guarded<WatchState>
  /// Has a value once everything was active.
  private let started = Subject<Void>(replaying: 1)
  /// Has a value once as many records were printed as the plan wants.
  private let counted = Subject<Void>(replaying: 1)

  /// Describes a watch; starts nothing.
  ///
  /// - Parameters:
  ///   - services: One for each device of the plan, all of one scheduler.
  ///   - receive: Called on the loop with what is recorded and printed, one at a time.
  ///   - follow: Called with what is waited for.
  ///   - stop: Ends the watch when it sends a value.
  package init(
    _ plan: WatchPlan, on services: [any Device], in scheduler: SerialScheduler,
    identity: RunIdentity, receive: @escaping @Sendable (WatchOutput) -> Void,
    follow: @escaping @Sendable (RunWait) -> Void = { _ in }, until stop: Signal<Void> = .never()
  ) {
    precondition(plan.devices.count == services.count, "each device has a service")
    self.plan = plan
    series = plan.series
    self.services = services
    loop = scheduler.loop
    self.receive = receive
    self.follow = follow
    self.stop = stop
    state = Guarded(WatchState(plan, identity, wallClockAtStart: scheduler.loop.wallClockAtStart))
  }

  /// Connects, subscribes, and reports until it ends; sends nothing.
  ///
  /// What happens is taken where it happens: no value passes through another task, and values that
  /// wait are taken one after the other.
  ///
  /// - Returns: Completes at the end of the time or of the count. Fails with a permanent failure, and
  ///   with any where the plan forbids to connect again.
  package func records() -> Signal<Void> {
    let start = started.signal.take(1)
    var parts = services.indices.map { device($0) }
    if case .rate(let window) = plan.view {
      let windows = start.flattenMap { _ in Signal<Int>.interval(window) }
      parts.append(
        Signal { [self] _ in
          try await windows.run { happened(.windowEnded($0)) }
        }
      )
    }
    var watch = Signal.merge(parts).takeUntil(stop).takeUntil(counted.signal)
    if let duration = plan.duration { watch = watch.takeUntil(start.delay(duration)) }
    return Signal(home: watch.home) { [self, watch] sink in
      report(state.withLock { $0.begin(at: loop.now) })
      try await watch.run(sink)
    }
  }

  /// Reports what comes of a change, up to the last record that is counted.
  private func happened(_ change: WatchChange) {
    let (outputs, hasStarted, hasAll) = state.withLock { state in
      let hadStarted = state.hasStarted
      let outputs = state.happened(change, at: loop.now)
      return (outputs, state.hasStarted && !hadStarted, state.hasAll)
    }
    if hasStarted {
      started.send(())
      let (limit, count) = (plan.duration, plan.count)
      follow(RunWait(what: plan.doing, begun: loop.now, limit: limit, values: count))
    }
    report(outputs)
    if hasAll { counted.send(()) }
  }

  /// Reports the end of the watch, after its last change.
  ///
  /// - Parameter cause: Why it ended; nil when it ended as asked.
  package func finish(_ cause: RunFailure?) {
    report(state.withLock { $0.finish(cause, at: loop.now) })
  }

  /// Reports a note that a person typed.
  ///
  /// - Parameter time: When the person began to type it.
  package func note(_ text: String, at time: Instant) {
    report(state.withLock { $0.note(text, at: time) })
  }

  private func report(_ outputs: [WatchOutput]) { for output in outputs { receive(output) } }

  // MARK: A device

  /// Watches a device, with as many connections as necessary; sends nothing.
  private func device(_ index: Int) -> Signal<Void> {
    Signal(home: services[index].scheduler) { [self] sink in
      while true {
        happened(.connecting(device: index))
        do {
          return try await session(index).run(sink)
        } catch {
          if Task.isCancelled || error is CancellationError { throw error }
          let failure = RunFailure(error)
          happened(.lost(device: index, failure))
          let pause = state.withLock { $0.pause(beforeConnecting: index, after: failure) }
          guard let pause else { throw failure }
          try await loop.sleep(for: pause)
        }
      }
    }
  }

  /// One connection: it lasts until it drops, or something fails.
  private func session(_ index: Int) -> Signal<Void> {
    let service = services[index]
    let series = series.filter { $0.device == index }
    let connecting = service.connect(keep: false, expecting: [])
      .timeout(plan.limit, "connecting")
    return service.session(connecting: connecting) { [self] origin in
      let streams = Signal.merge(series.map { values(of: $0, service) })
      return Signal { sink in
        happened(.connected(device: index, origin))
        try await streams.run(sink)
      }
    }
  }

  private func values(of series: WatchPlan.Series, _ service: any Device) -> Signal<Void> {
    let (index, target, format) = (series.index, series.target, plan.format)
    switch plan.source {
    case .notify(var options):
      options.onLinkLoss = .fail
      return service.listening(
        to: target, format: format, options: options, onGap: { happened(.gap(series: index, $0)) }
      ) { [self] samples in
        let isNotified = Guarded(false)
        let notified = Signal<Void> { _ in
          happened(.active(series: index))
          try await samples.run { sample in
            isNotified.withLock { $0 = true }
            happened(.value(series: index, sample))
          }
        }
        return Signal.merge([notified, present(series, service, unless: isNotified)])
      }
    case .poll(let period):
      let reads = service.reads(of: target, format, every: period, limit: plan.limit)
      return Signal { [self] _ in
        var isActive = false
        try await reads.run { sample in
          if !isActive { happened(.active(series: index)) }
          isActive = true
          happened(.value(series: index, sample))
        }
      }
    }
  }

  /// Reads the value that a subscribed characteristic has, where it can be read; sends nothing.
  ///
  /// It is no failure when the value cannot be read. A value that is notified meanwhile is newer.
  private func present(
    _ series: WatchPlan.Series, _ service: any Device, unless isNotified: Guarded<Bool>
  ) -> Signal<Void> {
    // A rate counts what the device sends.
    if case .rate = plan.view { return .empty() }
    let (target, limit) = (series.target, plan.limit)
    let reading = service.services().flattenMap { services in
      services.contains { $0.hasReadable(target) }
        ? service.read(target).timeout(limit, "reading \(target)") : .empty()
    }
    return Signal(home: service.scheduler) { [self] _ in
      do {
        try await reading.run { octets in
          guard !isNotified.withLock({ $0 }) else { return }
          let sample = Sample(octets, of: target, format: plan.format, arrival: loop.now)
          happened(.value(series: series.index, sample))
        }
      } catch  where !Task.isCancelled && !(error is CancellationError) {
        // The subscription reports a connection that is lost.
      }
    }
  }
}

extension GATTService {
  /// Whether it has the characteristic, which can be read.
  fileprivate func hasReadable(_ target: CharacteristicSelector) -> Bool {
    guard (target.service ?? uuid) == uuid else { return false }
    return characteristics.contains { characteristic in
      characteristic.properties.contains(.read)
        && target.handle.map { $0 == characteristic.handle }
          ?? (target.characteristic == characteristic.uuid)
    }
  }
}
