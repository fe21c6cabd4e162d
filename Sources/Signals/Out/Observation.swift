// Values delivered to a callback, until told to stop.

/// A signal being observed.
public final class Observation: Sendable {
  private let task = Guarded<Task<Void, Never>?>(nil)
  private let ended = Guarded(false)

  init() {}

  func began(_ work: Task<Void, Never>) { task.withLock { $0 = work } }

  func end() { ended.withLock { $0 = true } }

  /// Whether the signal has ended, clean-up included.
  public var isEnded: Bool { ended.withLock { $0 } }

  /// Stops the signal. The observer then gets `.cancelled`, after the clean-up.
  public func cancel() { task.withLock { $0 }?.cancel() }
}

extension Signal {
  /// Starts the signal and calls `receive` with each of its events, on `loop`.
  ///
  /// It takes no turn, and so may not connect. The observation goes on although its handle is let
  /// go.
  ///
  /// - Parameter loop: Where the signal runs; the loop of its home when nil.
  @discardableResult
  public func observe(
    on loop: Loop? = nil,
    _ receive: @escaping @Sendable (Event<Value>) -> Void
  ) -> Observation {
    let loop = loop ?? home?.loop ?? EventLoop()
    let observation = Observation()
    let work = loop.work {
      do {
        try await run { receive(.value($0)) }
        receive(.completed)
      } catch is CancellationError {
        receive(.cancelled)
      } catch {
        receive(.failed(error))
      }
      observation.end()
    }
    observation.began(work)
    return observation
  }
}

extension Loop {
  /// Starts work on this loop that the loop is kept turning for.
  func work(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    hold()
    let carried = Carried(loop: self)
    let end = ShutDownEntry()
    let task = Task(executorPreference: self) { [self] in
      await Carried.$current.withValue(carried) { await body() }
      end.leave()
      letGo()
    }
    end.enter(onShutDown { task.cancel() })
    return task
  }

  /// Runs `body` on this loop, in a task of its own, outside any turn.
  ///
  /// The loop is kept turning for it: by whoever blocks, else by the background thread. It is
  /// cancelled when the loop is shut down.
  public final func task<R: Sendable>(
    _ body: @escaping @Sendable () async throws -> R
  ) -> Task<R, any Error> {
    hold()
    let carried = Carried(loop: self)
    let end = ShutDownEntry()
    let task = Task(executorPreference: self) { [self] in
      defer {
        end.leave()
        letGo()
      }
      return try await Carried.$current.withValue(carried) { try await body() }
    }
    end.enter(onShutDown { task.cancel() })
    return task
  }

  /// Runs `body` on this loop and blocks for its end, turning the loop meanwhile.
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
