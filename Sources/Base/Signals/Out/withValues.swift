// The values of a signal for the time of a closure, after which the signal has ended.

extension Signal {
  /// Runs `body` with the values of this signal, and ends the signal before it returns.
  ///
  /// ```swift
  /// let celsius = thermometer.session { thermometer.notifications(temperature) }
  /// try await celsius.withValues { values in
  ///   for try await notified in values {
  ///     print(notified.value)
  ///     if notified.value.count > 5 { break }
  ///   }
  /// }
  /// // The thermometer is disconnected here.
  /// ```
  ///
  /// However `body` ends, by leaving its loop, by an error, at the deadline or because the calling
  /// task is cancelled, the clean-up of the signal has run when this returns or throws. An iterator
  /// of ``values`` cannot wait for that: a `for` loop that is left goes on before the clean-up is
  /// done.
  ///
  /// It is one turn, as ``first(within:file:line:)`` is: operations that `body` awaits belong to that
  /// turn. `body` may use variables of the caller, and runs where the caller does.
  ///
  /// - Parameters:
  ///   - limit: The time limit of the wait for the turn and `body` together, without the clean-up;
  ///     nil for none besides the enclosing ones.
  ///   - file: The file of the call, for the name of the turn.
  ///   - line: The line of the call.
  ///   - isolation: The caller's actor.
  ///   - body: The work with the values. Each iteration is a run of the signal.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, such as the signal's failure; ``TimedOut``, the cause of a
  ///   cancellation; ``FailedWithCleanUp``; the errors that `first` throws at once.
  public func withValues<R: Sendable>(
    within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (SignalValues<Value>) async throws -> R
  ) async throws -> R {
    try await withoutActuallyEscaping(body) { body in
      // So that this closure runs where the caller does, to whom `body` belongs.
      _ = isolation
      let lent = BorrowedClosure<SignalValues<Value>, R>(body)
      defer { lent.invalidate() }
      return try await lendingValues(to: lent, within: limit, TurnName("withValues", file, line))
    }
  }

  private func lendingValues<R: Sendable>(
    to lent: BorrowedClosure<SignalValues<Value>, R>, within limit: Duration?, _ name: TurnName
  ) async throws -> R {
    let operation = "withValues"
    let work: @Sendable () async throws -> R = {
      try await TurnScope.whileOpen { scope in try await lent.call(scope.values(of: self)) }
    }
    guard let turn = TaskContext.current?.turn else {
      let loop = home?.loop ?? TaskContext.current?.loop ?? EventLoop()
      return try await StartedRun.awaited(
        operation, on: loop, home: home, name, within: limit, work
      )
    }
    try turn.requireHome(home, for: operation)
    let part = Signal<R> { sink in try await sink(try await work()) }
    return try await (limit.map { part.timeout($0, operation) } ?? part).firstValue()
  }
}
