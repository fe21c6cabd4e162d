// Running a signal up to a value, for operators that stop their source early.

extension Signal {
  /// Does the work in the present task until `isEnough` returns true for a value.
  ///
  /// It then stops the producer and returns once the producer's clean-up is done. This is how an
  /// operator ends its source before the source ends by itself:
  ///
  /// ```swift
  /// extension Signal where Value: Comparable {
  ///   /// Sends values up to the first above `limit`.
  ///   func upTo(_ limit: Value) -> Signal {
  ///     Signal(home: home) { sink in
  ///       try await runUntil { value in
  ///         if value > limit { return true }
  ///         try await sink(value)
  ///         return false
  ///       }
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter isEnough: Called for each value, and awaited. Never called again once it has
  ///   returned true or thrown.
  /// - Throws: What the work failed with, or what `isEnough` threw.
  @inlinable
  public func runUntil(_ isEnough: (Value) async throws -> Bool) async throws {
    var hasEnough = false
    do {
      try await body { value in
        guard !hasEnough else { throw Stopped.stopped }
        hasEnough = try await isEnough(value)
        if hasEnough { throw Stopped.stopped }
      }
    } catch  where hasEnough && Stopped.isThrown(error) {}
  }
}
