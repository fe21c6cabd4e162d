// Running a signal up to a value, for operators that stop their source early.

extension Signal {
  /// Does the work in the present task until `isDone` returns true for a value.
  ///
  /// ```
  /// source      1-----2-----3-----4-
  /// isDone      false-false-true
  /// runUntil    ------------------returns
  /// ```
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
  /// - Parameter isDone: Called for each value, and awaited. Not called again once it has
  ///   returned true or thrown.
  /// - Throws: What the work failed with, or what `isDone` threw.
  @inlinable
  public func runUntil(_ isDone: (Value) async throws -> Bool) async throws {
    var isStopped = false
    do {
      try await body { value in
        guard !isStopped else { throw Stopped.stopped }
        isStopped = try await isDone(value)
        if isStopped { throw Stopped.stopped }
      }
    } catch  where isStopped && Stopped.isThrown(error) {}
  }
}
