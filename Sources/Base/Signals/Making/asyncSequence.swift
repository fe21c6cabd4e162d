// Signals from asynchronous sequences.

extension Signal {
  /// Sends the elements of an asynchronous sequence.
  ///
  /// ```
  /// sequence          a---b-----c-nil
  /// values(sequence)  a---b-----c-|
  /// ```
  ///
  /// Each run iterates again, if the sequence allows it: an `AsyncStream` delivers each element
  /// only once, so make it in ``deferred(_:)``. The next element is requested after the consumer
  /// has handled the previous one, so buffering is up to the sequence. Cancelling the run cancels
  /// the iteration; how soon that ends depends on the sequence.
  ///
  /// ```swift
  /// Signal.deferred { .values(stream(of: port)) }.timeout(.seconds(5))
  /// ```
  ///
  /// A ``VirtualTimeLoop`` does not know that another thread will produce an element, and may throw
  /// ``LoopIdle``: produce elements on the loop, or within ``VirtualTimeLoop/whileAway(_:)``.
  ///
  /// - Parameter sequence: Iterated on the loop of the run.
  public static func values<Elements: AsyncSequence & Sendable>(
    _ sequence: Elements
  ) -> Signal where Elements.Element == Value {
    Signal { sink in
      for try await value in sequence {
        try await sink(value)
        try Task.checkCancellation()
      }
      // A cancelled iteration may end as if the sequence had no more elements.
      try Task.checkCancellation()
    }
  }
}
