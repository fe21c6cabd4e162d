// Values at fixed times.

extension Signal where Value == Int {
  /// Sends 1 after `period`, then 2 after another, on and on: the number of the period that is over.
  ///
  /// ```
  /// interval(4)   ----1---2---3---4---
  /// ```
  ///
  /// The times lie on a grid from the start on, so they do not drift. A consumer that takes longer
  /// than a period misses numbers: they are left out, never sent late in a burst.
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

  /// The same, on a grid that began at `start`; what is over of it is left out.
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
