// One run of a SignalOperator: the source's task, one timer, and the consumer.
//
// All decisions are the operator's. This shell calls it under a lock and acts outside of it.

final class OperatorRun<Machine: SignalOperator>: Sendable {
  private typealias Taker = Completion<Machine.Output?>

  private struct State {
    var machine: Machine
    /// The consumer, while it waits.
    var taker: Taker?
    /// How the run ends once nothing is ready any more.
    var ending: Result<Void, any Error>?
    /// How the source ended.
    var outcome: Result<Void, any Error>?
    var armedFor: Instant?
    /// Cancels the timer that was armed last.
    var disarm: (@Sendable () -> Void)?
  }

  /// What has to be done, without the lock, after the machine was called.
  private struct Effects {
    var taken: (taker: Taker, result: Result<Machine.Output?, any Error>)?
    var alarm: Instant?
  }

  private let loop: Loop
  private let state: Guarded<State>
  private let streams = StreamsUpstream()

  init(of machine: Machine, on loop: Loop) {
    self.loop = loop
    state = Guarded(State(machine: machine))
  }

  /// Runs `source` beside the present task and gives what comes of it to `sink`.
  func pump(
    _ source: Signal<Machine.Input>,
    _ sink: (Machine.Output) async throws -> Void
  ) async throws {
    step { state, now in state.machine.begin(at: now) }
    let producer = ChildTask(on: loop) { [self] in
      let result = await ending {
        var sinceYield = 0
        try await source.run { value in
          streams.note()
          try receive(value)
          sinceYield += 1
          // A source that never waits would keep the consumer from its values.
          if sinceYield.isMultiple(of: 256) { await Task.yield() }
        }
      }
      streams.ended()
      step { state, now in
        state.outcome = result
        guard state.ending == nil else { return }
        state.machine.end(at: now)
        state.ending = result
      }
    }
    do {
      while let output = try await next() {
        try await streams.whileOpen { try await sink(output) }
      }
    } catch {
      await stop(producer)
      guard let error = error as? TimedOut, error.operation == TimedOut.waiting else { throw error }
      throw error.explained(by: state.withLock { $0.outcome })
    }
    await stop(producer)
  }

  private func stop(_ producer: ChildTask) async {
    await producer.end()
    let disarm = state.withLock { state in
      if state.ending == nil { state.ending = .success(()) }
      state.armedFor = nil
      return state.disarm
    }
    disarm?()
  }

  private func next() async throws -> Machine.Output? {
    try await wait(on: loop, operation: TimedOut.waiting) { (taker: Taker) in
      step { state, _ in state.taker = taker }
    }
  }

  /// A value of the source. Throws where the run is over.
  private func receive(_ value: Machine.Input) throws {
    try Task.checkCancellation()
    let isOver = step { state, now in
      guard state.ending == nil else { return }
      do {
        try state.machine.receive(value, at: now)
      } catch {
        state.ending = .failure(error)
      }
    }
    if isOver { throw CancellationError() }
  }

  private func wake(at armed: Instant) {
    step { state, now in
      // Armed anew, or not needed any more.
      guard state.armedFor == armed else { return }
      state.armedFor = nil
      guard state.ending == nil, let due = state.machine.wakeUp, due <= now else { return }
      do {
        try state.machine.wake(at: now)
      } catch {
        state.ending = .failure(error)
      }
    }
  }

  /// Calls the machine, then acts upon what it came to. Returns whether the run is to end.
  @discardableResult
  private func step(_ change: (inout State, Instant) -> Void) -> Bool {
    let now = loop.now
    let (effects, isOver) = state.withLock { state in
      change(&state, now)
      if state.ending == nil, state.machine.isComplete { state.ending = .success(()) }
      return (settle(&state), state.ending != nil)
    }
    if let (taker, result) = effects.taken { taker.end(result) }
    if let alarm = effects.alarm { arm(for: alarm) }
    return isOver
  }

  private func arm(for instant: Instant) {
    let timer = loop.at(instant) { [weak self] in self?.wake(at: instant) }
    let (before, isNeeded) = state.withLock { state in
      guard state.armedFor == instant else { return (state.disarm, false) }
      defer { state.disarm = { timer.cancel() } }
      return (state.disarm, true)
    }
    if isNeeded { before?() } else { timer.cancel() }
  }

  private func settle(_ state: inout State) -> Effects {
    var effects = Effects()
    if let taker = state.taker {
      if taker.hasEnded {
        state.taker = nil
      } else if let output = state.machine.next() {
        effects.taken = (taker, .success(output))
      } else if let ending = state.ending {
        effects.taken = (taker, ending.map { nil })
      }
      if effects.taken != nil { state.taker = nil }
    }
    // A timer that is due too early asks again; only an earlier instant needs another one.
    if state.ending == nil, let due = state.machine.wakeUp,
      state.armedFor.map({ $0 > due }) != false
    {
      state.armedFor = due
      effects.alarm = due
    }
    return effects
  }
}
