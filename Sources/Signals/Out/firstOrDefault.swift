// The first value of a signal, for code that blocks and for code that awaits.

extension Signal {
  /// Blocks for the first value.
  ///
  /// Outside a turn it takes one of the signal's home, whose wait counts towards `limit`; inside a
  /// ``SerialScheduler/schedule(_:)`` block it belongs to that turn. Whoever blocks turns the loop.
  ///
  /// The longest possible block is `limit` plus the clean-up limits: it returns when everything
  /// that has to be released is.
  ///
  /// - Parameters:
  ///   - fallback: The value when there is none.
  ///   - limit: How long it may take, on the loop's clock.
  /// - Returns: The first value and success; or the default and the reason: the signal's failure,
  ///   ``NoValue`` for an empty completion, ``TimedOut``, the cause of a cancellation,
  ///   ``BlockedInsideLoop`` where blocking could never end, ``LoopIdle`` when time is virtual and
  ///   nothing is left that could happen.
  public func firstOrDefault(_ fallback: Value, within limit: Duration) -> Outcome<Value> {
    Outcome(blockingFirst(within: limit), default: fallback)
  }

  private func blockingFirst(within limit: Duration) -> Result<Value, any Error> {
    let context = ThreadContext.current
    let blocked = BlockedInsideLoop(operation: "firstOrDefault")
    guard context.running == nil else { return .failure(blocked) }
    if let turn = context.turns.last, home == nil || home === turn.scheduler {
      return firstInside(turn, within: limit)
    }
    let scheduler = home ?? SerialScheduler(on: EventLoop())
    if context.turns.contains(where: { $0.scheduler.loop === scheduler.loop }) {
      return .failure(blocked)
    }
    let first = Guarded<Value?>(nil)
    let result = scheduler.block(operation: "firstOrDefault", within: limit) {
      let value = try await firstValue()
      first.withLock { $0 = value }
    }
    return result.flatMap { _ in
      first.withLock { $0 }.map { .success($0) } ?? .failure(LoopShutDown())
    }
  }

  private func firstInside(_ turn: Turn, within limit: Duration) -> Result<Value, any Error> {
    if let cause = turn.cancellationCause { return .failure(cause) }
    let loop = turn.scheduler.loop
    let answer = Guarded<Result<Value, any Error>?>(nil)
    let work = Guarded<Task<Void, Never>?>(nil)
    let scope = DeadlineScope(limit: limit, on: loop, inside: nil)
    let carried = Carried(loop: loop, turn: turn, deadline: scope)
    let timer = loop.at(scope.instant) {
      scope.expire()
      work.withLock { $0 }?.cancel()
    }
    defer { timer.cancel() }
    let task = Task(executorPreference: loop) {
      let result: Result<Value, any Error> = await Carried.$current.withValue(carried) {
        do {
          return .success(try await firstValue())
        } catch is CancellationError where scope.isExpired {
          return .failure(TimedOut(operation: "firstOrDefault", after: limit))
        } catch is CancellationError {
          return .failure(turn.cancellationCause ?? CancellationError())
        } catch {
          return .failure(error)
        }
      }
      answer.withLock { $0 = result }
    }
    work.withLock { $0 = task }
    let entry = turn.onCancel { task.cancel() }
    defer { turn.endWork(entry) }
    do {
      try loop.drive { answer.withLock { $0 != nil } }
    } catch {
      task.cancel()
      try? loop.drive { answer.withLock { $0 != nil } }
      return .failure(error)
    }
    return answer.withLock { $0 } ?? .failure(LoopShutDown())
  }

  /// Awaits the first value.
  ///
  /// Outside a turn it takes one of the signal's home; inside one it belongs to it.
  ///
  /// - Throws: The signal's failure, ``NoValue`` for an empty completion, the cause of a
  ///   cancellation.
  public func first(within limit: Duration? = nil) async throws -> Value {
    if Turn.current != nil { return try await limitedFirst(within: limit) }
    let scheduler = home ?? SerialScheduler(on: Carried.current?.loop ?? EventLoop())
    return try await scheduler.turn(within: limit) { try await firstValue() }
  }

  private func limitedFirst(within limit: Duration?) async throws -> Value {
    guard let limit else { return try await firstValue() }
    return try await timeout(limit, "first").firstValue()
  }

  /// Runs until the first value, stops the producer, and waits for its clean-up.
  @inlinable
  func firstValue() async throws -> Value {
    var first: Value?
    do {
      try await body { value in
        if first == nil { first = value }
        throw Stopped()
      }
    } catch is Stopped {}
    guard let first else { throw NoValue(operation: "the signal") }
    return first
  }
}

extension SerialScheduler {
  /// Blocks for a turn that does `body`, turning the loop meanwhile.
  func block(
    operation: String,
    within limit: Duration,
    _ body: @escaping @Sendable () async throws -> Void
  ) -> Result<Void, any Error> {
    let answer = Guarded<Result<Void, any Error>?>(nil)
    let request = Guarded<TurnRequest?>(nil)
    let loop = self.loop
    do {
      try loop.drive {
        let asked = ask(operation: operation, within: limit, body) { result in
          answer.withLock { $0 = result }
          loop.pokeFromOutside()
        }
        request.withLock { $0 = asked }
      } until: {
        answer.withLock { $0 != nil }
      }
    } catch {
      request.withLock { $0 }?.cancel(error)
      try? loop.drive { answer.withLock { $0 != nil } }
      return .failure(error)
    }
    return answer.withLock { $0 } ?? .failure(LoopShutDown())
  }
}

extension Loop {
  /// Has blocked threads look again, when the change came from outside the loop.
  func pokeFromOutside() {
    if ThreadContext.current.running !== self { poke() }
  }
}
