// Operations of a scheduler: a run acquires its turn when it reaches the first one.

extension Signal {
  /// Describes an operation on a resource that `scheduler` serializes, such as a device.
  ///
  /// ```
  /// other run     1-2-3-|
  /// operation             a-b-|      (waits for its turn)
  /// ```
  ///
  /// The place where a run reaches the operation decides, before any wait, whether it may begin:
  /// - in a turn of `scheduler`, it belongs to that turn;
  /// - in a run without a home, the run acquires a turn of `scheduler`, and holds it to its end;
  /// - in a turn of another scheduler, it fails with ``OtherScheduler``; in a turn that has ended,
  ///   with ``TurnEnded``;
  /// - on another loop than that of `scheduler`, it fails with ``LoopNotDriven`` if one of the
  ///   loops is virtual;
  /// - outside a run, in ``Loop/task(_:)`` or in a task from elsewhere, it begins without a turn.
  ///
  /// ```swift
  /// func weight(of scale: SerialScale) -> Signal<Double> {
  ///   .operation(of: scale.scheduler, "weighing") { sink in
  ///     try await sink(try await scale.weigh())
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler whose turn it needs. `body` runs on its loop.
  ///   - name: The name of the operation in these errors: "reading".
  ///   - body: The work, as for ``init(home:_:)``.
  @inlinable
  public static func operation(
    of scheduler: SerialScheduler, _ name: String, _ body: @escaping Body
  ) -> Signal {
    Signal(home: scheduler) { sink in
      guard let context = TaskContext.present else { return try await body(sink) }
      try await scheduler.including(name, in: context) { isOnLoop in
        if isOnLoop { return try await body(sink) }
        try await body { value in try await context.handlingValue { try await sink(value) } }
      }
    }
  }
}

extension SerialScheduler {
  /// Runs `body` on this scheduler's loop, in a turn of this scheduler, which the run acquires
  /// first.
  ///
  /// - Parameter body: The work; its argument says whether the calling task already ran on that
  ///   loop.
  @usableFromInline
  func including(
    _ operation: String, in context: TaskContext, _ body: (_ isOnLoop: Bool) async throws -> Void
  ) async throws {
    if context.turn?.scheduler == nil, loop !== context.loop,
      loop.isVirtual || context.loop.isVirtual
    {
      throw LoopNotDriven(operation: operation, scheduler: name)
    }
    guard let turn = context.turn else { return try await onLoop(body) }
    try await turn.acquire(original, for: operation, in: context)
    if !context.isCleanUp { try await turn.awaitAbandonedWork() }
    do {
      try await turn.including(operation, in: context) { try await onLoop(body) }
    } catch {
      if !Stopped.isThrown(error) { context.deadline?.note(error) }
      throw error
    }
  }

  private func onLoop(_ body: (_ isOnLoop: Bool) async throws -> Void) async throws {
    if loop.isCurrent { return try await body(true) }
    // It may be another loop than the one that the run holds.
    loop.hold()
    defer { loop.endHold() }
    try await withTaskExecutorPreference(loop) { try await body(false) }
  }

  /// Runs `body` in a separate turn, which a run without a home releases before it continues.
  /// Inside a turn of this scheduler, `body` joins that turn.
  func separateTurn<R: Sendable>(
    _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R {
    guard let turn = TaskContext.current?.turn, try turn.beginSeparateTurn(of: original) else {
      return try await self.turn(body)
    }
    defer { turn.endSeparateTurn() }
    let operation = "a turn of \(name)"
    return try await StartedRun.awaited(
      operation, on: loop, home: original, turn.name, within: nil, body
    )
  }
}

extension TaskContext {
  /// Handles a value of an operation on the executor of this context.
  @usableFromInline
  func handlingValue(_ body: () async throws -> Void) async throws {
    try await withTaskExecutorPreference(executor) { try await body() }
  }
}

extension Loop {
  /// Checks that an async caller does not wait for a virtual loop that no thread drives.
  ///
  /// - Parameter home: The scheduler whose turn the caller waits for; nil for a run without a home.
  func requireDriver(for operation: String, of home: SerialScheduler?) throws(LoopNotDriven) {
    guard isVirtual, TaskContext.current?.loop !== self, !isDriven else {
      return
    }
    throw LoopNotDriven(operation: operation, scheduler: home?.name ?? "the run")
  }
}
