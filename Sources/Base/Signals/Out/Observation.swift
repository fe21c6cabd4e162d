// Values delivered to a callback, until it is cancelled.

/// A signal being observed.
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
  /// The observation goes on although its handle is let go. Begun inside a turn, it belongs to that
  /// turn and ends with it. Outside one, a signal with a home is observed beside the turns of its
  /// scheduler: it takes none, and so may not connect. A signal without a home takes the turn of the
  /// first operation that it reaches, and holds it to its end.
  ///
  /// ```swift
  /// let watch = thermometer.scan(ScanFilter()).observe { event in print(event) }
  /// // later
  /// watch.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - loop: Where the signal runs; when nil, the loop of its home, or else that of the present work,
  ///     or else one that a background thread drives.
  ///   - file: The file of the call, for the name of the turn.
  ///   - line: The line of the call.
  ///   - receive: Called with each event, on the loop.
  @discardableResult
  public func observe(
    on loop: Loop? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ receive: @escaping @Sendable (Event<Value>) -> Void
  ) -> Observation {
    let name = TurnName("observe", file, line)
    let loop = loop ?? home?.loop ?? Run.current?.loop ?? EventLoop()
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
      if home == nil || Run.current?.turn != nil {
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

  /// Starts a run for a way out that does not block for it: inside a turn as a part of that, which ends
  /// it at its own end.
  ///
  /// - Parameters:
  ///   - operation: What it is called in errors.
  ///   - name: What a turn of its own is called.
  ///   - scope: What the run belongs to, beside a turn.
  ///   - ended: Called once, when everything that the run began has ended; on `loop` if it began.
  /// - Throws: ``OtherScheduler``; ``TurnEnded``.
  func startRun(
    on loop: Loop, _ operation: String, named name: TurnName, of scope: TurnScope? = nil,
    _ receive: @escaping @Sendable (Value) async throws -> Void,
    ended: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) throws -> StartedRun {
    if let turn = Run.current?.turn {
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
    // Its task holds it while it runs; what has ended holds nothing.
    work.attach { [weak started] in started?.cancel() }
    return started
  }
}
