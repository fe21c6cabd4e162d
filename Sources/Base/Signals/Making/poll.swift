// Work that is done again and again.

extension Signal {
  /// Runs the signal that `make` gives, at once and then at the end of each period, on and on.
  ///
  /// ```
  /// make             a-|       b-----|   c-|
  /// poll(every: 4)   a-------b-----------c---
  /// ```
  ///
  /// Two never run at a time: when one takes longer than a period, the times that passed are left
  /// out, and the next begins at the next one. The first that fails ends all.
  ///
  /// Like every run it holds its turn as long as it lasts: it may own the connection that it reads
  /// over. ``poll(every:takingTurnsOf:_:)`` lets others in between.
  ///
  /// ```swift
  /// Signal.poll(every: .seconds(5)) { thermometer.read(.batteryLevel) }
  /// ```
  ///
  /// - Parameters:
  ///   - period: Above zero.
  ///   - make: Asked anew each time.
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
  /// Runs the signal that `make` gives again and again, each time in a turn of its own, so that other
  /// runs get their turns in between. Its values are sent when that turn has ended.
  ///
  /// ```
  /// make             a-|         b-|         c-|
  /// other runs           x---|       y---|
  /// poll(every: 12)  --a-----------b-----------c--
  /// ```
  ///
  /// What one turn connects is disconnected at its end. Otherwise as ``poll(every:_:)``. Inside a
  /// turn of `scheduler`, all of it belongs to that turn.
  ///
  /// ```swift
  /// Signal.poll(every: .seconds(60), takingTurnsOf: scheduler) {
  ///   thermometer.session { thermometer.read(.batteryLevel) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - period: Above zero.
  ///   - scheduler: Whose turns are taken; runs of other schedulers fail with ``OtherScheduler``.
  ///   - make: Asked anew each time.
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
