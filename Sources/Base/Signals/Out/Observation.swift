// Delivers the events of a signal to a callback.

/// The handle of an observed signal.
public final class Observation: Sendable {
  private struct State {
    var cancel: (@Sendable () -> Void)?
    var isEnded = false
  }

  private let state = Guarded(State())

  init() {}

  func began(_ cancel: @escaping @Sendable () -> Void) {
    state.withLock { if !$0.isEnded { $0.cancel = cancel } }
  }

  func end() { state.withLock { $0 = State(isEnded: true) } }

  /// Whether the signal has ended, clean-up included.
  public var isEnded: Bool { state.withLock { $0.isEnded } }

  /// Stops the signal. The observer then gets `.cancelled`, after the clean-up.
  public func cancel() { state.withLock { $0.cancel }?() }
}

extension Signal {
  /// Starts the signal and calls `receive` with each of its events, on `loop`.
  ///
  /// The observation continues even if its handle is released. Inside a turn, it belongs to that
  /// turn and ends with it. Outside a turn, a signal with a home runs concurrently with the turns
  /// of its scheduler: it acquires none, and so cannot connect. A signal without a home acquires
  /// the turn of the first operation that it reaches, and holds it to its end.
  ///
  /// ```swift
  /// let watch = thermometer.scan(ScanFilter()).observe { event in print(event) }
  /// // later
  /// watch.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - loop: The loop that runs the signal; nil for the loop of its home, otherwise of the
  ///     current work, otherwise a new loop driven by a background thread.
  ///   - file: The file of the call, for the name of the turn.
  ///   - line: The line of the call.
  ///   - receive: Called with each event, on the loop.
  @discardableResult
  public func observe(
    on loop: Loop? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ receive: @escaping @Sendable (Event<Value>) -> Void
  ) -> Observation {
    let name = TurnName("observe", file, line)
    let loop = loop ?? home?.loop ?? TaskContext.current?.loop ?? EventLoop()
    let observation = Observation()
    let ended: @Sendable (Result<Void, any Error>) -> Void = { result in
      switch result {
      case .success: receive(.completed)
      case .failure(is CancellationError): receive(.cancelled)
      case .failure(let error): receive(.failed(error))
      }
      observation.end()
    }
    do {
      if home == nil || TaskContext.current?.turn != nil {
        let started = try startRun(
          on: loop, "observe", named: name, { receive(.value($0)) }, ended: ended
        )
        observation.began { started.cancel() }
      } else {
        let task = loop.task { ended(await ending { try await run { receive(.value($0)) } }) }
        observation.began { task.cancel() }
      }
    } catch {
      ended(.failure(error))
    }
    return observation
  }

  /// Starts a run without blocking for it: inside a turn as a part of that turn, which cancels it
  /// at its end; otherwise with a new turn.
  ///
  /// - Parameters:
  ///   - operation: The name of the run in errors.
  ///   - name: The name of a new turn.
  ///   - scope: The scope that also cancels the run; nil for none.
  ///   - ended: Called once, after all work of the run has ended; on `loop` if the run began.
  /// - Throws: ``OtherScheduler``; ``TurnEnded``.
  func startRun(
    on loop: Loop, _ operation: String, named name: TurnName, of scope: TurnScope? = nil,
    _ receive: @escaping @Sendable (Value) async throws -> Void,
    ended: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) throws -> StartedRun {
    if let turn = TaskContext.current?.turn {
      try turn.requireHome(home, for: operation)
      let part = try StartedRun(operation, on: loop, in: turn, of: scope, ended: ended)
      part.start { try await run(receive) }
      return part
    }
    let work = Work()
    let started = StartedRun(operation, on: loop, name) { result in
      ended(result)
      loop.end(work)
    }
    loop.begin(work)
    started.start(home: home) { try await run(receive) }
    // The task of the run retains it while it runs; the handler must not retain it afterwards.
    work.onCancel { [weak started] in started?.cancel() }
    return started
  }
}
