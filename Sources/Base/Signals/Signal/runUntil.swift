// Runs a signal up to a value, for operators that stop their source early.

extension Signal {
  /// Runs the work in the current task until `isDone` returns true for a value.
  ///
  /// ```
  /// source      1-----2-----3-----4-
  /// isDone      false-false-true
  /// runUntil    ------------------returns
  /// ```
  ///
  /// It then stops the producer and returns after the producer's clean-up. For an operator that
  /// ends its source early:
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
  /// - Parameter isDone: Called with each value, and awaited. Not called again after it has
  ///   returned true or thrown.
  /// - Throws: The failure of the work, or the error of `isDone`.
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
