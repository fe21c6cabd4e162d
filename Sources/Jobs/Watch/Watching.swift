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
  private let services: [any DeviceService]
  private let loop: Loop
  private let receive: @Sendable (WatchOutput) -> Void
  private let follow: @Sendable (RunWait) -> Void
  private let stop: Signal<Void>
  private let state: Guarded<WatchState>

  /// Describes a watch; starts nothing.
  ///
  /// - Parameters:
  ///   - services: One for each device of the plan, all of one scheduler.
  ///   - receive: Called on the loop with what is recorded and printed, one at a time.
  ///   - follow: Called with what is waited for.
  ///   - stop: Ends the watch when it sends a value.
  package init(
    _ plan: WatchPlan,
    on services: [any DeviceService],
    in scheduler: SerialScheduler,
    identity: RunIdentity,
    receive: @escaping @Sendable (WatchOutput) -> Void,
    follow: @escaping @Sendable (RunWait) -> Void = { _ in },
    until stop: Signal<Void> = .never()
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

  /// Connects, subscribes, and reports until it ends; sends a value for each printed record.
  ///
  /// - Returns: Completes at the end of the time or of the count. Fails with a permanent failure, and
  ///   with any where the plan forbids to connect again.
  package func records() -> Signal<Void> {
    let started = CurrentValueSubject(false)
    let start = started.signal.filter { $0 }.take(1)
    var parts = services.indices.map { device($0) }
    if case .rate(let window) = plan.view {
      let windows = start.flattenMap { _ in Signal<Int>.interval(window) }
      parts.append(windows.map { .windowEnded($0) })
    }
    var changes = Signal.merge(parts).takeUntil(stop)
    if let duration = plan.duration { changes = changes.takeUntil(start.delay(duration)) }
    let records = Signal<Void>(home: changes.home) { [self, changes] sink in
      report(state.withLock { $0.begin(at: loop.now) })
      try await changes.run { change in
        let (outputs, hasStarted) = state.withLock { state in
          let hadStarted = state.hasStarted
          let now = loop.now
          let outputs = state.continueOnNewDay(at: now) + state.take(change, at: now)
          return (outputs, state.hasStarted && !hadStarted)
        }
        if hasStarted {
          started.send(true)
          let (limit, count) = (plan.duration, plan.count)
          follow(RunWait(what: plan.doing, begun: loop.now, limit: limit, values: count))
        }
        for output in outputs {
          receive(output)
          if output.isRecord { try await sink(()) }
        }
      }
    }
    return plan.count.map { records.take($0) } ?? records
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

  /// What happens to a device, with as many connections as necessary.
  private func device(_ index: Int) -> Signal<WatchChange> {
    Signal(home: services[index].scheduler) { [self] sink in
      while true {
        try await sink(.connecting(device: index))
        var thrownBySink: (any Error)?
        do {
          return try await session(index).run { change in
            do {
              try await sink(change)
            } catch {
              thrownBySink = error
              throw error
            }
          }
        } catch {
          if let thrownBySink { throw thrownBySink }
          if Task.isCancelled || error is CancellationError { throw error }
          let failure = RunFailure(error)
          try await sink(.lost(device: index, failure))
          let pause = state.withLock { $0.pause(beforeConnecting: index, after: failure) }
          guard let pause else { throw failure }
          try await loop.sleep(for: pause)
        }
      }
    }
  }

  /// One connection: it lasts until it drops, or something fails.
  private func session(_ index: Int) -> Signal<WatchChange> {
    let service = services[index]
    let series = series.filter { $0.device == index }
    return Signal.using(
      acquire: service.connect(keep: false, expecting: []).timeout(plan.limit, "connecting"),
      release: { _ in service.release() },
      { [self] origin in
        let streams = Signal.merge(series.map { values(of: $0, service) })
        return Signal { sink in
          try await sink(.connected(device: index, origin))
          try await streams.run(sink)
        }
      }
    )
  }

  private func values(
    of series: WatchPlan.Series,
    _ service: any DeviceService
  ) -> Signal<WatchChange> {
    let (index, target, format) = (series.index, series.target, plan.format)
    switch plan.source {
    case .notify(var options):
      options.onLinkLoss = .fail
      return service.subscribe(target, options).flattenMap { events in
        Signal { sink in
          try await sink(.active(series: index))
          try await events.run { event in
            switch event {
            case .gap(let gap): try await sink(.gap(series: index, gap))
            case .value(let value):
              let sample = Sample(value.value, of: target, format: format, arrival: value.at)
              try await sink(.value(series: index, sample))
            }
          }
        }
      }
    case .poll(let period):
      let reads = service.reads(of: target, format, every: period, limit: plan.limit)
      return Signal { sink in
        var isActive = false
        try await reads.run { sample in
          if !isActive { try await sink(.active(series: index)) }
          isActive = true
          try await sink(.value(series: index, sample))
        }
      }
    }
  }
}
