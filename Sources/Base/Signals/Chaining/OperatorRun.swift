// One run of a SignalOperator: a source that is never slowed, and a consumer that waits for it and for time.
//
// All decisions are the operator's. This shell calls it under a lock and acts outside of it.

final class OperatorRun<Machine: SignalOperator>: Sendable {
  /// What the consumer waits for.
  private enum Step: Sendable {
    case output(Machine.Output)
    /// Nothing yet; the machine has another instant to be woken at.
    case look
    case ended(Result<Void, any Error>)
  }

  private struct State {
    var machine: Machine
    /// How the run ends once nothing is ready any more.
    var ending: Result<Void, any Error>?
    /// The consumer, while it waits, and the instant at which its timer fires.
    var taker: Completion<Step>?
    var armedFor: Instant?

    /// Wakes the machine for what time has passed, then does `body`, unless the run is over.
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

    /// What there is for a consumer that is free.
    mutating func ready() -> Step? {
      machine.next().map { .output($0) } ?? ending.map { .ended($0) }
    }

    /// Whether the timer of the consumer has fired, or is too late.
    func isToLook(at now: Instant) -> Bool {
      guard let armedFor else { return machine.wakeUp != nil }
      return armedFor <= now || machine.wakeUp.map { $0 < armedFor } ?? false
    }
  }

  private let branches: Branches<Never>
  private let loop: Loop
  private let state: Guarded<State>

  /// A run that begins now.
  init(of machine: Machine) throws(NotOnLoop) {
    branches = try Branches()
    loop = branches.loop
    var machine = machine
    machine.begin(at: loop.now)
    state = Guarded(State(machine: machine))
  }

  /// Runs `source` beside the present task and gives what comes of it to `sink`.
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
          // A source that never waits would keep the consumer from its values.
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
        case .look: continue
        case .ended(let result): return try result.get()
        }
      }
    }
  }

  private func next() async throws -> Step {
    var timer: LoopTimer?
    defer { timer?.cancel() }
    return try await wait(on: loop, operation: TimedOut.waiting) { (taker: Completion<Step>) in
      let now = loop.now
      let (ready, due): (Step?, Instant?) = state.withLock { state in
        state.advance(to: now)
        if let ready = state.ready() { return (ready, nil) }
        state.taker = taker
        state.armedFor = state.machine.wakeUp
        return (nil, state.armedFor)
      }
      if let ready { taker.succeed(ready) }
      if let due { timer = loop.at(due) { [self] in step() } }
    }
  }

  /// Calls the machine, then hands the consumer what it waits for.
  ///
  /// - Returns: Whether the run is to end.
  @discardableResult
  private func step(_ body: (inout State, Instant) throws -> Void = { _, _ in }) -> Bool {
    let now = loop.now
    let (taken, isOver) = state.withLock { state -> ((Completion<Step>, Step)?, Bool) in
      state.advance(to: now) { try body(&$0, now) }
      let isOver = state.ending != nil
      guard let taker = state.taker,
        let step = state.ready() ?? (state.isToLook(at: now) ? .look : nil)
      else { return (nil, isOver) }
      state.taker = nil
      return ((taker, step), isOver)
    }
    if let (taker, step) = taken { taker.succeed(step) }
    return isOver
  }
}
