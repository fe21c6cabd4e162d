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
  ///   - loop: Where the signal runs; when nil, the loop of its home, or else one that a background
  ///     thread drives.
  ///   - file: The file of the call, for the name of the turn.
  ///   - line: The line of the call.
  ///   - receive: Called with each event, on the loop.
  @discardableResult
  public func observe(
    on loop: Loop? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ receive: @escaping @Sendable (Event<Value>) -> Void
  ) -> Observation {
    let name = TurnName("observe", file, line)
    let loop = loop ?? home?.loop ?? Carried.current?.turn?.scheduler.loop ?? EventLoop()
    let observation = Observation()
    let cancel = startRun(on: loop, "observe", named: name, takesHome: false) {
      receive(.value($0))
    } ended: { result in
      switch result {
      case .success: receive(.completed)
      case .failure(is CancellationError): receive(.cancelled)
      case .failure(let error): receive(.failed(error))
      }
      observation.end()
    }
    observation.began(cancel)
    return observation
  }

  /// Starts a run for a way out that does not block for it.
  ///
  /// - Parameters:
  ///   - operation: What it is called in errors.
  ///   - name: What a turn of its own is called.
  ///   - takesHome: Whether a run of a signal with a home takes a turn there.
  ///   - ended: Called once, when everything that the run began has ended; on `loop` if it began.
  /// - Returns: What cancels the run.
  func startRun(
    on loop: Loop,
    _ operation: String,
    named name: TurnName,
    takesHome: Bool,
    _ receive: @escaping @Sendable (Value) async throws -> Void,
    ended: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) -> @Sendable () -> Void {
    if let carried = Carried.current, let turn = carried.turn {
      return startRun(in: turn, carried, on: loop, operation, receive, ended: ended)
    }
    if home != nil, !takesHome {
      let task = loop.work { ended(await ending { try await run(receive) }) }
      return { task.cancel() }
    }
    let entry = ShutDownEntry()
    loop.hold()
    let request = TurnRequest(
      of: home ?? SerialScheduler(on: loop, name: "the run"),
      isOfRun: home == nil,
      operation: operation,
      named: name,
      within: nil
    ) {
      try await run(receive)
    } ended: { result in
      entry.leave()
      ended(result)
      loop.letGo()
    }
    request.ask()
    let cancel: @Sendable () -> Void = { request.cancel(CancellationError()) }
    entry.enter(loop.onShutDown(cancel))
    return cancel
  }

  /// The same as a part of a turn, which ends it at its own end.
  private func startRun(
    in turn: Turn,
    _ carried: Carried,
    on loop: Loop,
    _ operation: String,
    _ receive: @escaping @Sendable (Value) async throws -> Void,
    ended: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) -> @Sendable () -> Void {
    let entry: UInt64
    do {
      try turn.requireHome(home, for: operation)
      entry = try turn.beginWork(operation, isCovered: carried.isCovered)
    } catch {
      ended(.failure(error))
      return {}
    }
    loop.hold()
    let surroundings = Carried(loop: loop, turn: turn, isBranch: true)
    let task = Task(executorPreference: loop) {
      ended(await surroundings.whileBranching { await ending { try await run(receive) } })
      turn.endWork(entry)
      loop.letGo()
    }
    turn.attach(task, to: entry)
    return { task.cancel() }
  }
}

extension Loop {
  /// Starts work on this loop that the loop is kept turning for.
  func work(
    _ body: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    hold()
    let carried = Carried(loop: self)
    let end = ShutDownEntry()
    let task = OpenStream.outside {
      Task(executorPreference: self) { [self] in
        await Carried.$current.withValue(carried) { await body() }
        end.leave()
        letGo()
      }
    }
    end.enter(onShutDown { task.cancel() })
    return task
  }

  /// Runs `body` on this loop, in a task of its own, outside any turn.
  ///
  /// The loop is kept turning for it: by whoever blocks, else by the background thread. It is
  /// cancelled when the loop is shut down.
  ///
  /// ```swift
  /// let count = try await loop.task { try await readings.take(10).collect().first().count }.value
  /// ```
  public final func task<R: Sendable>(
    _ body: @escaping @Sendable () async throws -> R
  ) -> Task<R, any Error> {
    hold()
    let carried = Carried(loop: self)
    let end = ShutDownEntry()
    let task = OpenStream.outside {
      Task(executorPreference: self) { [self] in
        defer {
          end.leave()
          letGo()
        }
        return try await Carried.$current.withValue(carried) { try await body() }
      }
    }
    end.enter(onShutDown { task.cancel() })
    return task
  }

  /// Runs `body` on this loop and blocks for its end, turning the loop meanwhile.
  ///
  /// ```swift
  /// let client = try loop.run { try await BlueZClient.open(on: loop) }
  /// ```
  ///
  /// - Throws: What `body` throws; ``BlockedInsideLoop``; ``LoopIdle`` when time is virtual and
  ///   nothing is left that could happen.
  public final func run<R: Sendable>(
    _ body: @escaping @Sendable () async throws -> R
  ) throws -> R {
    let answer = Guarded<Result<R, any Error>?>(nil)
    let work = Guarded<Task<Void, Never>?>(nil)
    do {
      try drive {
        let started = self.work {
          let result: Result<R, any Error>
          do {
            result = .success(try await body())
          } catch {
            result = .failure(error)
          }
          answer.withLock { $0 = result }
        }
        work.withLock { $0 = started }
      } until: {
        answer.withLock { $0 != nil }
      }
    } catch {
      work.withLock { $0 }?.cancel()
      throw error
    }
    guard let result = answer.withLock({ $0 }) else { throw LoopShutDown() }
    return try result.get()
  }
}

/// A task's entry among those that are cancelled when the loop is shut down. The task may end
/// before it is entered.
private final class ShutDownEntry: Sendable {
  private struct State {
    var isOver = false
    var takeBack: (@Sendable () -> Void)?
  }

  private let state = Guarded(State())

  func enter(_ takeBack: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if !state.isOver { state.takeBack = takeBack }
      return state.isOver
    }
    if isOver { takeBack() }
  }

  func leave() {
    let takeBack = state.withLock { state in
      defer { state = State(isOver: true) }
      return state.takeBack
    }
    takeBack?()
  }
}
