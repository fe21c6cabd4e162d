// Operations on what a scheduler serialises: the leaves at which a run takes its turn.

extension Signal {
  /// Describes an operation on something whose use `scheduler` serialises: a device.
  ///
  /// ```
  /// other run     1-2-3-|
  /// operation             a-b-|      (waits for its turn)
  /// ```
  ///
  /// Where a run reaches one, it is decided at once, before anything waits, whether it may begin:
  /// - in a turn of `scheduler`, it belongs to that turn;
  /// - in a run without a home, the run takes a turn of `scheduler`, and holds it to its end;
  /// - in a turn of another scheduler it fails with ``OtherScheduler``, and in a turn that has ended
  ///   with ``TurnEnded``;
  /// - from another loop than that of `scheduler`, it fails with ``LoopNotDriven`` if one of them is
  ///   virtual;
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
  ///   - scheduler: Where it belongs. `body` runs on that scheduler's loop.
  ///   - name: What it is called in these errors: "reading".
  ///   - body: The work, as for ``init(home:_:)``.
  @inlinable
  public static func operation(
    of scheduler: SerialScheduler, _ name: String, _ body: @escaping Body
  ) -> Signal {
    Signal(home: scheduler) { sink in
      guard let run = Run.present else { return try await body(sink) }
      try await scheduler.including(name, in: run) { isHere in
        if isHere { return try await body(sink) }
        try await body { value in try await run.dealing { try await sink(value) } }
      }
    }
  }
}

extension SerialScheduler {
  /// Does `body` on this scheduler's loop, as a part of the present run, which takes a turn here first.
  ///
  /// - Parameter body: Gets whether the present task runs on that loop anyway.
  @usableFromInline
  func including(
    _ operation: String, in run: Run, _ body: (_ isHere: Bool) async throws -> Void
  ) async throws {
    if run.turn?.scheduler == nil, loop !== run.loop, loop.isVirtual || run.loop.isVirtual {
      throw LoopNotDriven(operation: operation, scheduler: name)
    }
    guard let turn = run.turn else { return try await onLoop(body) }
    try await turn.take(self, for: operation, in: run)
    if !run.isCleanUp { try await turn.settle() }
    try await turn.including(operation, in: run) { try await onLoop(body) }
  }

  private func onLoop(_ body: (_ isHere: Bool) async throws -> Void) async throws {
    if loop.isCurrent { return try await body(true) }
    // It may be another loop than the one that is driven for this run.
    loop.hold()
    defer { loop.letGo() }
    try await withTaskExecutorPreference(loop) { try await body(false) }
  }

  /// Runs `body` in a turn that a run without a home gives back before it goes on; inside a turn of
  /// this scheduler it belongs to that one.
  func separateTurn<R: Sendable>(
    _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R {
    guard let turn = Run.current?.turn, try turn.beginSeparateTurn(of: self) else {
      return try await self.turn(body)
    }
    defer { turn.endSeparateTurn() }
    let operation = "a turn of \(name)"
    return try await StartedRun.awaited(
      operation, on: loop, home: self, turn.name, within: nil, body
    )
  }
}

extension Run {
  /// Deals with a value of an operation, where this run does that.
  @usableFromInline
  func dealing(_ body: () async throws -> Void) async throws {
    try await withTaskExecutorPreference(executor) { try await body() }
  }
}

extension Loop {
  /// Checks that an async caller does not wait for a virtual loop that nobody drives.
  ///
  /// - Parameter home: Whose turn the caller waits for; nil for a run without a home.
  func requireDriver(for operation: String, of home: SerialScheduler?) throws(LoopNotDriven) {
    guard isVirtual, Run.current?.loop !== self, state.withLock({ $0.driver == nil }) else {
      return
    }
    throw LoopNotDriven(operation: operation, scheduler: home?.name ?? "the run")
  }
}
