// Runs a SignalOperator: its source is never slowed; its consumer waits for output and for time.
//
// The machine makes all decisions. This shell calls it under a lock and performs the effects
// outside.

/// One run of an operator.

final class OperatorRun<Machine: SignalOperator>: Sendable {
  /// The next step of the consumer.
  private enum Step: Sendable {
    case output(Machine.Output)
    /// No output, but the machine has another `wakeUp`: arm another timer.
    case rearm
    case ended(Result<Void, any Error>)
  }

  private struct State {
    var machine: Machine
    /// The result of the run, delivered after the remaining output.
    var ending: Result<Void, any Error>?
    /// The waiting consumer, and the instant at which its timer fires.
    var consumer: Completion<Step>?
    var armedFor: Instant?

    /// Wakes the machine for each `wakeUp` that has passed, then calls `body`, unless the run has
    /// ended.
    mutating func advance(to now: Instant, _ body: (inout State) throws -> Void = { _ in }) {
      guard ending == nil else { return }
      do {
        while let due = machine.wakeUp, due <= now {
          try machine.wake(at: due)
          if machine.wakeUp == due { break }
        }
        try body(&self)
      } catch {
        ending = .failure(error)
      }
      if ending == nil, machine.isComplete { ending = .success(()) }
    }

    /// The next step for an idle consumer; nil if nothing is ready.
    mutating func ready() -> Step? {
      machine.next().map { .output($0) } ?? ending.map { .ended($0) }
    }

    /// Whether the timer of the waiting consumer has fired or would fire too late.
    func needsTimer(at now: Instant) -> Bool {
      guard let armedFor else { return machine.wakeUp != nil }
      return armedFor <= now || machine.wakeUp.map { $0 < armedFor } ?? false
    }
  }

  private let branches: Branches<Never>
  private let loop: Loop
  private let state: Guarded<State>

  /// Begins a run.
  init(of machine: Machine) throws(NotOnLoop) {
    branches = try Branches()
    loop = branches.loop
    var machine = machine
    machine.begin(at: loop.now)
    state = Guarded(State(machine: machine))
  }

  /// Runs `source` concurrently and passes the output of the machine to `sink`.
  func pump(
    _ source: Signal<Machine.Input>, _ sink: (Machine.Output) async throws -> Void
  ) async throws {
    branches.start { [self] branch in
      let result = await ending {
        var sinceYield = 0
        try await source.run { value in
          branch.noteStreams()
          try Task.checkCancellation()
          let isOver = step { state, now in try state.machine.receive(value, at: now) }
          if isOver { throw CancellationError() }
          sinceYield += 1
          // A source that never waits would starve the consumer.
          if sinceYield.isMultiple(of: 256) { await Task.yield() }
        }
      }
      step { state, now in
        state.machine.end(at: now)
        state.ending = result
      }
      try result.get()
    }
    try await branches.endingAll {
      while true {
        switch try await branches.explained({ try await next() }) {
        case .output(let output): try await branches.streams.whileOpen { try await sink(output) }
        case .rearm: continue
        case .ended(let result): return try result.get()
        }
      }
    }
  }

  private func next() async throws -> Step {
    var timer: LoopTimer?
    defer { timer?.cancel() }
    return try await wait(on: loop, operation: TimedOut.waiting) { (consumer: Completion<Step>) in
      let now = loop.now
      let (ready, due): (Step?, Instant?) = state.withLock { state in
        state.advance(to: now)
        if let ready = state.ready() { return (ready, nil) }
        state.consumer = consumer
        state.armedFor = state.machine.wakeUp
        return (nil, state.armedFor)
      }
      if let ready { consumer.succeed(ready) }
      if let due { timer = loop.at(due) { [self] in step() } }
    }
  }

  /// Calls the machine, then resumes the consumer if a step is ready.
  ///
  /// - Returns: Whether the source must end.
  @discardableResult
  private func step(_ body: (inout State, Instant) throws -> Void = { _, _ in }) -> Bool {
    let now = loop.now
    let (resumed, isOver) = state.withLock { state -> ((Completion<Step>, Step)?, Bool) in
      state.advance(to: now) { try body(&$0, now) }
      let isOver = state.ending != nil
      guard let consumer = state.consumer,
        let step = state.ready() ?? (state.needsTimer(at: now) ? .rearm : nil)
      else { return (nil, isOver) }
      state.consumer = nil
      return ((consumer, step), isOver)
    }
    if let (consumer, step) = resumed { consumer.succeed(step) }
    return isOver
  }
}
