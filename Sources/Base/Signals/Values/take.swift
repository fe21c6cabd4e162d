// The first values, or all but the first.

extension Signal {
  /// Sends the first `count` values, stops the producer, waits for its clean-up, and completes.
  ///
  /// ```
  /// source    1-2-3-4-
  /// take(2)   1-2|
  /// ```
  ///
  /// The producer sends nothing after the last value: what is done with that one may end what the
  /// values come from, as a disconnect behind `take(1)` does.
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

  /// Sends values up to the first of which `isLast` is true, and that one; then stops the producer, waits
  /// for its clean-up, and completes.
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

  /// Sends values up to the first of which `isLast` is true, and that one outside of the streams that it
  /// came from: they send nothing more, and so nothing can be lost.
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

  /// Sends values while `isIncluded` is true of them; then stops the producer, waits for its
  /// clean-up, and completes.
  ///
  /// ```
  /// source                   1-2-3-1-|
  /// takeWhile { $0 < 3 }     1-2-|
  /// ```
  ///
  /// The first value of which it is false is not sent; ``takeThrough(_:)`` sends that one too.
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
  /// It holds at most `count` values, drops older ones, and never slows the source. When the source
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

  /// Leaves out the first `count` values.
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

  /// Sends values until `trigger` sends one or completes; then stops and completes.
  ///
  /// ```
  /// source      1---2---3---4-
  /// trigger     ---------x
  /// takeUntil   1---2---3|
  /// ```
  ///
  /// The trigger is started first, and stopped when this signal ends. Its failure is ignored, as in
  /// ReactiveCocoa. The clean-up of both is awaited.
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
