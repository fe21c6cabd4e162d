// Periodic work.

extension Signal {
  /// Runs the signal that `make` returns at once, and again at the end of each period, without end.
  ///
  /// ```
  /// make             a-|       b-----|   c-|
  /// poll(every: 4)   a-------b-----------c---
  /// ```
  ///
  /// Two of them never overlap: if one takes longer than a period, its clean-up included, the missed
  /// times are skipped. A session takes two seconds to disconnect, so that with a period of two
  /// seconds every second time is skipped: put the `poll` into the session instead. The first failure
  /// ends the result.
  ///
  /// Like every run it holds its turn to its end, since it may own the connection that it reads
  /// over. ``poll(every:takingTurnsOf:_:)`` lets other runs have their turns in between.
  ///
  /// ```swift
  /// Signal.poll(every: .seconds(5)) { thermometer.read(.batteryLevel) }
  /// ```
  ///
  /// - Parameters:
  ///   - period: Above zero.
  ///   - make: Called each time.
  public static func poll(
    every period: Duration, _ make: @escaping @Sendable () throws -> Signal
  ) -> Signal {
    Signal { sink in
      let start = try Loop.current.now
      try await make().run(sink)
      try await Signal<Int>.interval(period, since: start).flattenMap { _ in try make() }
        .run(sink)
    }
  }
}

extension Signal {
  /// Runs the signal that `make` returns periodically, each time in a separate turn, so that other
  /// runs get their turns in between. Its values are sent after that turn has ended.
  ///
  /// ```
  /// make             a-|         b-|         c-|
  /// other runs           x---|       y---|
  /// poll(every: 12)  --a-----------b-----------c--
  /// ```
  ///
  /// A connection made in one of these turns ends with it. Otherwise it works like
  /// ``poll(every:_:)``. Inside a turn of `scheduler`, all of it belongs to that turn.
  ///
  /// ```swift
  /// Signal.poll(every: .seconds(60), takingTurnsOf: scheduler) {
  ///   thermometer.session { thermometer.read(.batteryLevel) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - period: Above zero.
  ///   - scheduler: The scheduler of the turns. A run that has a turn of another one fails with
  ///     ``OtherScheduler``.
  ///   - make: Called each time.
  public static func poll(
    every period: Duration, takingTurnsOf scheduler: SerialScheduler,
    _ make: @escaping @Sendable () throws -> Signal
  ) -> Signal {
    poll(every: period) {
      Signal { sink in
        let values = try await scheduler.separateTurn { try await make().collect().firstValue() }
        for value in values { try await sink(value) }
      }
    }
  }
}
