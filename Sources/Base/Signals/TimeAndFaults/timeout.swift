// Time limits of signals.

extension Signal {
  /// Fails with ``TimedOut`` if the signal does not end within `limit`, without the time of its
  /// consumer.
  ///
  /// ```
  /// source       1-2-3-4-5-6
  /// timeout(4)   1-2-X
  /// ```
  ///
  /// The time that the consumer spends on values does not count. The failure is passed on after the
  /// signal was cancelled and has cleaned up. The error names the wait inside the signal that was
  /// interrupted.
  ///
  /// ```swift
  /// thermometer.connect().timeout(.seconds(5), "connecting")
  /// ```
  ///
  /// - Parameters:
  ///   - limit: The time limit of the source.
  ///   - operation: The name of the limit in the error.
  public func timeout(_ limit: Duration, _ operation: String = "the signal") -> Signal {
    limited(limit, operation, restartingAtValues: false)
  }

  /// Fails with ``TimedOut`` if the signal neither sends a value nor ends for `limit`.
  ///
  /// ```
  /// source           1-2-3---------
  /// idleTimeout(4)   1-2-3---X
  /// ```
  ///
  /// The time counts from the start, and again from each handled value. For endless streams, which
  /// ``timeout(_:_:)`` would always end.
  ///
  /// ```swift
  /// thermometer.notifications(temperature).idleTimeout(.seconds(10), "a temperature")
  /// ```
  public func idleTimeout(_ limit: Duration, _ operation: String = "the signal") -> Signal {
    limited(limit, operation, restartingAtValues: true)
  }

  private func limited(_ limit: Duration, _ operation: String, restartingAtValues: Bool) -> Signal {
    Signal(home: home) { [self] sink in
      let branches = try Branches<Value>()
      let loop = branches.loop
      let deadline = Deadline(limit, of: operation, on: loop, inside: TaskContext.current?.deadline)
      let expire: @Sendable () -> Void = {
        deadline.expire()
        branches.stop(
          .failure(TimedOut(operation: TimedOut.waiting, after: limit, limitOf: operation))
        )
      }
      var (remaining, armedAt) = (limit, loop.now)
      var timer = loop.after(limit, expire)
      defer { timer.cancel() }
      try await branches.pump([self], in: .branch(on: loop, deadline: deadline)) { value in
        // The time of the consumer does not count.
        timer.cancel()
        if !restartingAtValues { remaining -= loop.now - armedAt }
        try await sink(value)
        (armedAt, timer) = (loop.now, loop.after(remaining, expire))
      }
    }
  }
}
