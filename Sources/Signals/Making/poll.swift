// Work that is done again and again.

extension Signal {
  /// Runs the signal that `make` gives, at once and then at the end of each period, on and on.
  ///
  /// Two never run at a time: when one takes longer than a period, the times that passed are left
  /// out, and the next begins at the next one. The first that fails ends all.
  ///
  /// - Parameters:
  ///   - period: Above zero.
  ///   - make: Asked anew each time.
  public static func poll(
    every period: Duration,
    _ make: @escaping @Sendable () throws -> Signal
  ) -> Signal {
    Signal { sink in
      let start = try Carried.requireLoop().now
      try await make().run(sink)
      try await Signal<Int>.interval(period, since: start).flattenMap { _ in try make() }
        .run(sink)
    }
  }
}
