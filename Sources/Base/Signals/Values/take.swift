// The first values, or all but the first.

extension Signal {
  /// Sends the first `count` values, stops the producer, waits for its clean-up, and completes.
  ///
  /// ```
  /// source    1-2-3-4-
  /// take(2)   1-2|
  /// ```
  ///
  /// The producer sends nothing after the last value. So the code that handles the last value may
  /// end the source, as a disconnect after `take(1)` does.
  ///
  /// ```swift
  /// thermometer.notifications(temperature).take(3)
  /// ```
  @inlinable
  public func take(_ count: Int) -> Signal {
    precondition(count >= 0, "a count is not negative")
    guard count > 0 else { return .empty() }
    return Signal(home: home) { [self] sink in
      var left = count
      try await sendThrough(sink) { _ in
        left -= 1
        return left == 0
      }
    }
  }

  /// Sends values up to and including the first for which `isLast` is true; then stops the
  /// producer, waits for its clean-up, and completes.
  ///
  /// ```
  /// source                      1-2-3-4-
  /// takeThrough { $0 == 3 }     1-2-3|
  /// ```
  ///
  /// ```swift
  /// frames.takeThrough { $0.isLast }.collect()
  /// ```
  public func takeThrough(_ isLast: @escaping @Sendable (Value) -> Bool) -> Signal {
    Signal(home: home) { [self] sink in try await sendThrough(sink, isLast) }
  }

  /// Sends values up to and including the first for which `isLast` is true. The last one is sent
  /// outside the streams that it came from: they send nothing more, so ending them loses nothing.
  @inlinable
  func sendThrough(_ sink: (Value) async throws -> Void, _ isLast: (Value) -> Bool) async throws {
    let streams = StreamsAround()
    try await runUntil { value in
      let hasAll = isLast(value)
      if hasAll, !streams.areAll {
        try await streams.withLast { try await sink(value) }
      } else {
        try await sink(value)
      }
      return hasAll
    }
  }

  /// Sends values while `isIncluded` is true; then stops the producer, waits for its clean-up, and
  /// completes.
  ///
  /// ```
  /// source                   1-2-3-1-|
  /// takeWhile { $0 < 3 }     1-2-|
  /// ```
  ///
  /// The first value for which it is false is not sent; ``takeThrough(_:)`` includes the deciding
  /// value.
  ///
  /// ```swift
  /// levels.takeWhile { $0 > 10 }
  /// ```
  public func takeWhile(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal {
    Signal(home: home) { [self] sink in
      try await runUntil { value in
        guard isIncluded(value) else { return true }
        try await sink(value)
        return false
      }
    }
  }

  /// Sends the last `count` values once the source has completed.
  ///
  /// ```
  /// source        a-b-c-d-|
  /// takeLast(2)   --------cd|
  /// ```
  ///
  /// It buffers at most `count` values, drops older ones, and never slows the source. If the source
  /// fails, nothing is sent.
  ///
  /// ```swift
  /// readings.takeUntil(stop).takeLast(1)
  /// ```
  public func takeLast(_ count: Int) -> Signal {
    precondition(count >= 0, "a count is not negative")
    return Signal(home: home) { [body] sink in
      var last = RecentValues<Value>(limit: count)
      try await body { value in last.append(value) }
      for value in last.values { try await sink(value) }
    }
  }

  /// Skips the first `count` values.
  ///
  /// ```
  /// source    1-2-3-4-|
  /// skip(2)   ----3-4-|
  /// ```
  ///
  /// ```swift
  /// isConnected.skip(1)   // only changes
  /// ```
  @inlinable
  public func skip(_ count: Int) -> Signal {
    precondition(count >= 0, "a count is not negative")
    return Signal(home: home) { [body] sink in
      var skipped = 0
      try await body { value in
        if skipped < count {
          skipped += 1
        } else {
          try await sink(value)
        }
      }
    }
  }

  /// Sends values until `trigger` sends a value or completes; then stops the producer and
  /// completes.
  ///
  /// ```
  /// source      1---2---3---4-
  /// trigger     ---------x
  /// takeUntil   1---2---3|
  /// ```
  ///
  /// The trigger starts first, and is stopped when this signal ends. A failure of the trigger is
  /// ignored, as in ReactiveCocoa. The result ends after the clean-up of both.
  ///
  /// ```swift
  /// readings.takeUntil(stopPressed)
  /// ```
  public func takeUntil<Trigger: Sendable>(_ trigger: Signal<Trigger>) -> Signal {
    Signal(home: home) { [self] sink in
      let branches = try Branches<Value>()
      branches.start { _ in
        let result = await ending { try await trigger.take(1).run { _ in } }
        if case .success = result { branches.stop(result) }
      }
      try await branches.pump([self], sink)
    }
  }
}
