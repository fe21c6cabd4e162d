// Runs a planned chain as a signal on a program's scheduler.

import BlueZ
import Bluetooth
import Signals

/// One chain of a program; it reports each step to an observer.
struct ChainRun: Sendable {
  let id: ChainID
  let plan: ChainPlan
  let service: BlueZDevice
  let observer: Observer

  private var scheduler: SerialScheduler { service.scheduler }
  private var loop: Loop { scheduler.loop }

  /// Requests the chain's turn, and schedules its cancellation.
  func start() {
    observer.record(.requested(id, plan))
    let cancel = plan.way == .blocking ? startBlocking() : startAwaited()
    guard let instant = plan.cancelledAfter else { return }
    loop.after(instant) { [observer, id] in
      observer.record(.cancelled(id))
      cancel()
    }
  }

  private func startAwaited() -> @Sendable () -> Void {
    let chain = signal
    let task = loop.task { [self] in
      do {
        try await chain.first(within: plan.limit)
        observer.record(.ended(id, ChainEnding(error: nil)))
      } catch {
        observer.record(.ended(id, ChainEnding(error: error)))
      }
    }
    return { task.cancel() }
  }

  private func startBlocking() -> @Sendable () -> Void {
    let chain = signal
    let hasBegun = Guarded(false)
    let turn = scheduler.schedule { [self] in
      hasBegun.withLock { $0 = true }
      let outcome = chain.firstOrDefault((), within: plan.limit)
      observer.record(.ended(id, ChainEnding(error: outcome.error)))
    }
    return { [observer, id] in
      turn.cancel()
      guard !hasBegun.withLock({ $0 }) else { return }
      // Cancelled before its turn: the block never runs.
      observer.record(.ended(id, ChainEnding(error: CancellationError())))
    }
  }

  // MARK: The signal

  private var signal: Signal<Void> {
    let probe = Signal<Void>(home: scheduler) { [id, observer] sink in
      observer.record(.turnBegan(id))
      // Releases run in reverse order: the first one registered runs last.
      _ = Turn.current?.registerRelease(of: "the turn of \(id)") { observer.record(.turnEnded(id)) }
      try await sink(())
    }
    switch plan.way {
    case .awaited, .blocking:
      return probe.flattenMap { steps(from: 0) }
    case .session:
      return probe.flattenMap { service.session { steps(from: 0) } }
    }
  }

  private func steps(from index: Int) -> Signal<Void> {
    guard index < plan.steps.count else { return .just(()) }
    return step(index).flattenMap { steps(from: index + 1) }
  }

  private func step(_ index: Int) -> Signal<Void> {
    let step = plan.steps[index]
    let work = step.signal(service)
    return Signal<Void>(home: scheduler) { [id, observer] sink in
      observer.record(.stepBegan(id, index, step))
      defer { observer.record(.stepEnded(id, index)) }
      try await work.run { value in
        observer.record(.stepValue(id, index, value))
        try await sink(())
      }
    }
  }
}
