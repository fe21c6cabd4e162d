// Values at regular intervals.

extension Signal where Value == Int {
  /// Sends 1 after the first `period`, 2 after the second, and so on without end.
  ///
  /// ```
  /// interval(4)   ----1---2---3---4---
  /// ```
  ///
  /// The times are multiples of `period` since the start, so they do not drift. A consumer that is
  /// busy for longer than a period misses numbers: they are skipped, not sent late in a burst.
  ///
  /// ```swift
  /// Signal.interval(.seconds(1)).take(10)
  /// ```
  ///
  /// - Parameter period: Above zero.
  public static func interval(_ period: Duration) -> Signal<Int> {
    Signal { sink in
      try await interval(period, since: try Loop.current.now).run(sink)
    }
  }

  /// Sends the numbers of the periods since `start`, beginning with the current one.
  static func interval(_ period: Duration, since start: Instant) -> Signal<Int> {
    precondition(period > .zero, "a period lasts some time")
    return Signal { sink in
      let loop = try Loop.current
      var number = 0
      while true {
        let over = Int((loop.now - start) / period)
        number = Swift.max(number, over) + 1
        try await loop.sleep(for: (start + period * number) - loop.now)
        try await sink(number)
      }
    }
  }
}
