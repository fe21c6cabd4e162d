// A signal as an asynchronous sequence.

/// The values of a signal, for `for try await`.
///
/// The signal starts with the iteration and is cancelled when the iterator is freed. No iterator can
/// wait for the clean-up: code behind a loop that is left early runs at once, and the clean-up ends
/// later, before the next turn begins and before the process exits. ``Signal/withValues(within:file:line:isolation:_:)``
/// waits for it. A loop whose task is cancelled ends after the clean-up. A slow loop body slows the
/// producer. Each iteration is a run: inside a turn it belongs to that turn and ends
/// with it; otherwise it acquires a turn of its home, or without a home that of the first operation
/// that it reaches, and holds it to its end.
public struct SignalValues<Value: Sendable>: AsyncSequence, Sendable {
  let signal: Signal<Value>
  let loop: Loop
  /// The scope that the runs belong to, besides a turn; nil for none.
  var scope: TurnScope?
  /// The name of the turn of a run.
  var name = TurnName("values")

  /// A new run of the signal, which starts with the first call of `next()`.
  public func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }

  /// One run of the signal.
  public final class Iterator: AsyncIteratorProtocol {
    private enum Step: Sendable {
      case value(Value)
      case ended(Result<Void, any Error>)
    }

    private let values: SignalValues
    private let handoff: Handoff<Step>
    /// The result of the run, clean-up included.
    private let ending = Awaited<Result<Void, any Error>?>(nil)
    private var started: StartedRun?
    private var handled: Completion<Void>?
    private var hasEnded = false

    init(_ values: SignalValues) {
      self.values = values
      handoff = Handoff(on: values.loop)
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
      guard let scope = values.scope else { return try await step() }
      return try await scope.including("values") { try await step() }
    }

    nonisolated(nonsending)
      private func step() async throws -> Value?
    {
      guard !hasEnded else { return nil }
      if started == nil {
        try values.loop.requireDriver(for: "values", of: values.signal.home)
        if TaskContext.current?.isCleanUp != true { try await Turn.current?.awaitAbandonedWork() }
        started = try begin()
      }
      handled?.succeed(())
      handled = nil
      switch try await nextOffer() {
      case (.value(let value), let handled):
        self.handled = handled
        return value
      case (.ended(let result), _):
        hasEnded = true
        if case .failure(is CancellationError) = result, !Task.isCancelled,
          let turn = started?.turn,
          turn.isEnding || values.scope?.hasEnded == true
        {
          throw turn.turnEndedError(before: "values")
        }
        try result.get()
        return nil
      }
    }

    /// Waits for the next value or the end. If this task is cancelled, and no turn waits for the
    /// run, the run and its clean-up end before this throws.
    nonisolated(nonsending)
      private func nextOffer() async throws -> Handoff<Step>.Offer
    {
      do {
        return try await handoff.next()
      } catch {
        guard let started, started.hasOwnTurn else { throw error }
        hasEnded = true
        started.cancel(error)
        let result = await ending.uninterrupted { $0 }
        guard case .failure(let failed as FailedWithCleanUp) = result else { throw error }
        throw FailedWithCleanUp(cause: error, cleanUp: failed.cleanUp)
      }
    }

    private func begin() throws -> StartedRun {
      try values.signal.startRun(on: values.loop, "values", named: values.name, of: values.scope) {
        [handoff] in
        try await handoff.send(.value($0))
      } ended: { [handoff, ending] result in
        handoff.post(.ended(result))
        ending.change { $0 = result }
      }
    }
  }
}

extension Signal {
  /// The values as an asynchronous sequence, for a loop that runs to the end of the signal.
  ///
  /// ```swift
  /// let celsius = thermometer.session { thermometer.notifications(temperature).take(3) }
  /// for try await notified in celsius.values { print(notified.value) }
  /// ```
  ///
  /// For a loop that may be left earlier, use ``withValues(within:file:line:isolation:_:)``, which
  /// waits until the signal has ended.
  public var values: SignalValues<Value> { values() }

  /// The values as an asynchronous sequence, with the place of the call as the name of the turn.
  ///
  /// ```swift
  /// for try await level in levels.values() { print(level) }
  /// ```
  ///
  /// - Parameters:
  ///   - file: The file of the call, for the name of the turn.
  ///   - line: The line of the call.
  public func values(file: StaticString = #fileID, line: UInt = #line) -> SignalValues<Value> {
    let loop = home?.loop ?? TaskContext.current?.loop ?? EventLoop()
    return SignalValues(signal: self, loop: loop, name: TurnName("values", file, line))
  }
}
