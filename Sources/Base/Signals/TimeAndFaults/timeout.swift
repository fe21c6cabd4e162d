// Limits on how long a signal may take.

extension Signal {
  /// Fails with ``TimedOut`` when the signal has not ended within `limit` of its own time.
  ///
  /// ```
  /// source       1-2-3-4-5-6
  /// timeout(4)   1-2-X
  /// ```
  ///
  /// The time that the consumer takes over a value does not count. The signal is cancelled and its
  /// clean-up awaited before the failure goes on. A wait inside that is cut short so names itself
  /// in the error.
  ///
  /// ```swift
  /// thermometer.connect().timeout(.seconds(5), "connecting")
  /// ```
  ///
  /// - Parameters:
  ///   - limit: How long the source may take, without the time of its consumer.
  ///   - operation: What is limited, for the error.
  public func timeout(_ limit: Duration, _ operation: String = "the signal") -> Signal {
    limited(limit, operation, restartingAtValues: false)
  }

  /// Fails with ``TimedOut`` when no value and no end has come for `limit`.
  ///
  /// ```
  /// source           1-2-3---------
  /// idleTimeout(4)   1-2-3---X
  /// ```
  ///
  /// Counted from the start and from each value that was dealt with. For endless streams, which
  /// ``timeout(_:_:)`` always ends.
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
      let deadline = Deadline(limit, of: operation, on: loop, inside: Run.current?.deadline)
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
