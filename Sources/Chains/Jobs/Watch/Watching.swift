// Watches characteristics and RSSI of several devices, in one turn.
//
// It performs I/O only: WatchState decides the output.

package import Bluetooth
import RunEvents
package import Signals

/// A running watch.
///
/// All devices are watched concurrently in one turn of one scheduler, which owns their connections:
/// they are disconnected even if the watch fails, unless another watch uses them. A device that
/// cannot be connected, or whose connection drops, is tried again after a pause.
package struct Watching: Sendable {
  private let plan: WatchPlan
  private let series: [WatchPlan.Series]
  private let services: [any Device]
  private let loop: Loop
  private let receive: @Sendable (WatchOutput) -> Void
  private let follow: @Sendable (RunWait) -> Void
  private let stop: Signal<Void>
  private let state: Guarded<WatchState>
  /// Sends a value once all series have been active.
  private let started = Subject<Void>(replaying: 1)
  /// Sends a value once all records of the plan are printed.
  private let counted = Subject<Void>(replaying: 1)

  /// Creates a watch; starts nothing.
  ///
  /// - Parameters:
  ///   - services: One for each device of the plan, all with the same scheduler.
  ///   - receive: Called on the loop with events to record and print, one at a time.
  ///   - follow: Called with each wait, for a live view.
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

  /// Connects, subscribes and reports; the signal itself sends nothing.
  ///
  /// Changes are applied where they happen, so no value passes through another task, and buffered
  /// values are applied one after another.
  ///
  /// - Returns: A signal that completes after the duration or the count of the plan. It fails with
  ///   a permanent failure, and with any failure if the plan forbids reconnecting.
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

  /// Applies a change and reports its output, up to the last record of the plan.
  private func happened(_ change: WatchChange) {
    let (outputs, hasStarted, hasAll) = state.withLock { state in
      let hadStarted = state.hasStarted
      let outputs = state.happened(change, at: loop.now)
      return (outputs, state.hasStarted && !hadStarted, state.hasAll)
    }
    if hasStarted {
      started.send(())
      let (limit, count) = (plan.duration, plan.count)
      follow(RunWait(what: plan.participle, begun: loop.now, limit: limit, values: count))
    }
    report(outputs)
    if hasAll { counted.send(()) }
  }

  /// Reports the end of the watch, after its last change.
  ///
  /// - Parameter cause: The failure that ended the watch; nil if it ended as planned.
  package func finish(_ cause: RunFailure?) {
    report(state.withLock { $0.finish(cause, at: loop.now) })
  }

  /// Reports a note of the user.
  ///
  /// - Parameter time: The time at which its typing began.
  package func note(_ text: String, at time: Instant) {
    report(state.withLock { $0.note(text, at: time) })
  }

  private func report(_ outputs: [WatchOutput]) { for output in outputs { receive(output) } }

  // MARK: A device

  /// Watches a device over as many connections as necessary; the signal itself sends nothing.
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

  /// Watches a device over one connection, until it drops or another failure occurs.
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
    let (index, format) = (series.index, plan.format)
    guard let target = series.target else {
      return reads(index, service.strengths(every: plan.rssiPeriod, limit: plan.limit))
    }
    switch plan.source {
    case .notify(var options):
      options.onLinkLoss = .fail
      let pieces = JoinedPieces(target, format)
      return service.listening(
        to: target, format: format, options: options, pieces: pieces,
        onGap: { happened(.gap(series: index, $0)) }
      ) { [self] samples in
        let isNotified = Guarded(false)
        let notified = Signal<Void> { _ in
          happened(.active(series: index))
          do {
            try await samples.run { sample in
              isNotified.withLock { $0 = true }
              happened(.value(series: index, sample))
            }
          } catch {
            let isCancelled = Task.isCancelled || error is CancellationError
            if !isCancelled, let cut = pieces?.cutOff() {
              happened(.value(series: index, cut))
            }
            throw error
          }
        }
        return Signal.merge([notified, present(index, target, service, unless: isNotified)])
      }
    case .poll(let period):
      return reads(
        index, service.reads(of: target, format, every: period, limit: plan.limit)
      )
    }
  }

  /// Reports values that are read at an interval; the signal itself sends nothing.
  private func reads(_ index: Int, _ samples: Signal<Sample>) -> Signal<Void> {
    Signal { [self] _ in
      var isActive = false
      try await samples.run { sample in
        if !isActive { happened(.active(series: index)) }
        isActive = true
        happened(.value(series: index, sample))
      }
    }
  }

  /// Reads the current value of a subscribed characteristic, if it is readable; the signal itself
  /// sends nothing.
  ///
  /// A failed read is ignored. If a value is notified first, the read value is older and dropped.
  private func present(
    _ index: Int, _ target: CharacteristicSelector, _ service: any Device,
    unless isNotified: Guarded<Bool>
  ) -> Signal<Void> {
    // A rate counts only the values that the device sends.
    if case .rate = plan.view { return .empty() }
    let limit = plan.limit
    let reading = service.services().flattenMap { services in
      services.contains { $0.hasReadable(target) }
        ? service.read(target).timeout(limit, "reading \(target)") : .empty()
    }
    return Signal(home: service.scheduler) { [self] _ in
      do {
        try await reading.run { octets in
          guard !isNotified.withLock({ $0 }) else { return }
          let sample = Sample(octets, of: target, format: plan.format, arrival: loop.now)
          happened(.value(series: index, sample))
        }
      } catch  where !Task.isCancelled && !(error is CancellationError) {
        // Ignored: if the connection dropped, the subscription reports it.
      }
    }
  }
}

extension GATTService {
  /// Whether the service has the characteristic, and it is readable.
  fileprivate func hasReadable(_ target: CharacteristicSelector) -> Bool {
    guard (target.service ?? uuid) == uuid else { return false }
    return characteristics.contains { characteristic in
      characteristic.properties.contains(.read)
        && target.handle.map { $0 == characteristic.handle }
          ?? (target.characteristic == characteristic.uuid)
    }
  }
}
