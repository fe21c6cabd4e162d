// A signal as an asynchronous sequence.

/// The values of a signal, for `for try await`.
///
/// The signal starts with the iteration and is cancelled when the iterator is freed. A slow loop
/// body slows the producer. Each iteration is a run: inside a turn it belongs to that turn and ends
/// with it; otherwise it acquires a turn of its home, or without a home that of the first operation
/// that it reaches, and holds it to its end.
public struct SignalValues<Value: Sendable>: AsyncSequence, Sendable {
  let signal: Signal<Value>
  let loop: Loop
  /// The scope that the runs belong to, besides a turn; nil for none.
  var scope: TurnScope?

  /// A new run of the signal, which starts with the first call of `next()`.
  public func makeAsyncIterator() -> Iterator {
    Iterator(signal: signal, loop: loop, scope: scope)
  }

  /// One run of the signal.
  public final class Iterator: AsyncIteratorProtocol {
    private enum Step: Sendable {
      case value(Value)
      case ended(Result<Void, any Error>)
    }

    private let signal: Signal<Value>
    private let loop: Loop
    private let scope: TurnScope?
    private let handoff: Handoff<Step>
    private var started: StartedRun?
    private var handled: Completion<Void>?
    private var hasEnded = false

    init(signal: Signal<Value>, loop: Loop, scope: TurnScope?) {
      self.signal = signal
      self.loop = loop
      self.scope = scope
      handoff = Handoff(on: loop)
    }

    deinit {
      handoff.close()
      started?.abandon()
    }

    /// The next value; nil after completion.
    ///
    /// - Throws: The signal's failure; at once ``OtherScheduler`` inside a turn of another
    ///   scheduler, ``TurnEnded`` in a task whose turn has ended, ``LoopNotDriven`` on a virtual
    ///   loop that no thread drives.
    public func next() async throws -> Value? {
      guard let scope else { return try await step() }
      return try await scope.including("values") { try await step() }
    }

    nonisolated(nonsending)
      private func step() async throws -> Value?
    {
      guard !hasEnded else { return nil }
      if started == nil {
        try loop.requireDriver(for: "values", of: signal.home)
        if TaskContext.current?.isCleanUp != true { try await Turn.current?.awaitAbandonedWork() }
        started = try begin()
      }
      handled?.succeed(())
      handled = nil
      switch try await handoff.next() {
      case (.value(let value), let handled):
        self.handled = handled
        return value
      case (.ended(let result), _):
        hasEnded = true
        if case .failure(is CancellationError) = result, !Task.isCancelled,
          let turn = started?.turn,
          turn.isEnding || scope?.hasEnded == true
        {
          throw turn.turnEndedError(before: "values")
        }
        try result.get()
        return nil
      }
    }

    private func begin() throws -> StartedRun {
      try signal.startRun(on: loop, "values", named: TurnName("values"), of: scope) { [handoff] in
        try await handoff.send(.value($0))
      } ended: { [handoff] in
        handoff.post(.ended($0))
      }
    }
  }
}

extension Signal {
  /// The values as an asynchronous sequence.
  ///
  /// ```swift
  /// let celsius = thermometer.session { thermometer.notifications(temperature) }
  /// for try await notified in celsius.values { print(notified.value) }
  /// ```
  public var values: SignalValues<Value> {
    SignalValues(signal: self, loop: home?.loop ?? TaskContext.current?.loop ?? EventLoop())
  }
}
