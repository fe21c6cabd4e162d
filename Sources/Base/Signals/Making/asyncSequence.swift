// Signals from asynchronous sequences.

extension Signal {
  /// Sends what an asynchronous sequence gives.
  ///
  /// ```
  /// sequence          a---b-----c-nil
  /// values(sequence)  a---b-----c-|
  /// ```
  ///
  /// Each run iterates anew, as far as the sequence allows: an `AsyncStream` gives each element
  /// once, and is better made in ``deferred(_:)``. The next element is asked for when the consumer
  /// has dealt with the last, so what is buffered is the sequence's business. Cancelling the run
  /// cancels the iteration, and is as prompt as the sequence.
  ///
  /// ```swift
  /// Signal.deferred { .values(stream(of: port)) }.timeout(.seconds(5))
  /// ```
  ///
  /// A ``VirtualTimeLoop`` does not know of a sequence whose elements other threads produce, and may
  /// call itself idle: produce them on the loop, or within ``VirtualTimeLoop/whileAway(_:)``.
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
      // An iteration that is cancelled may end as if it had no more elements.
      try Task.checkCancellation()
    }
  }
}
