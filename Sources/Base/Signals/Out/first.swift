// The first value of a signal, for code that awaits.

extension Signal {
  /// Awaits the first value.
  ///
  /// Outside a turn it acquires a turn of the signal's home. Without a home, it acquires a turn of
  /// the first operation that it reaches. Inside a turn it belongs to that turn.
  ///
  /// ```swift
  /// let level = try await thermometer.session { thermometer.read(.batteryLevel) }
  ///   .first(within: .seconds(30))
  /// ```
  ///
  /// - Parameters:
  ///   - limit: The time limit, including the wait for the turn; nil for the enclosing deadline, or
  ///     for an hour without one.
  ///   - file: The file of the call, for the name of the turn.
  ///   - line: The line of the call.
  /// - Throws: The signal's failure, ``NoValue`` for an empty completion, ``TimedOut``, the cause
  ///   of a cancellation; at once ``OtherScheduler`` inside a turn of another scheduler,
  ///   ``TurnEnded`` in a task whose turn has ended, ``LoopNotDriven`` on a virtual loop that no
  ///   thread drives.
  public func first(
    within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
  ) async throws -> Value {
    if let context = TaskContext.current, let turn = context.turn {
      try turn.requireHome(home, for: "first")
      let limited = limit.map { timeout($0, "first") } ?? self
      return try await turn.including("first", in: context) {
        if context.loop.isCurrent { return try await limited.firstValue() }
        return try await withTaskExecutorPreference(context.executor) {
          try await limited.firstValue()
        }
      }
    }
    let loop = home?.loop ?? TaskContext.current?.loop ?? EventLoop()
    let isLimited = TaskContext.current?.isLimited ?? false
    return try await StartedRun.awaited(
      "first", on: loop, home: home, TurnName("first", file, line),
      within: limit ?? (isLimited ? nil : .seconds(3600))
    ) {
      try await firstValue()
    }
  }

  /// Runs until the first value, stops the producer, and waits for its clean-up.
  @inlinable
  nonisolated(nonsending)
    func firstValue() async throws -> Value
  {
    var first: Value?
    do {
      try await body { value in
        if first == nil { first = value }
        throw Stopped.stopped
      }
    } catch  where first != nil && Stopped.isThrown(error) {}
    guard let first else { throw NoValue(operation: "the signal") }
    return first
  }
}
