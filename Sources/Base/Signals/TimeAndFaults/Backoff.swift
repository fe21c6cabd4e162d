// The pauses between attempts: to connect, to subscribe again, to repeat a chain, to write a journal.
//
// A pure value: it knows no clock, and starts no timer. The owner waits for the pauses, and calls
// `progress()` after a success.

/// Pauses that double up to a limit, and begin again after progress.
package struct Backoff: Hashable, Sendable {
  /// The first pause.
  package let first: Duration
  /// The longest pause.
  package let longest: Duration
  /// Whether there is no pause before the first attempt after progress; the second has ``first``.
  private let beginsAtOnce: Bool
  /// The number of pauses since the last progress.
  private var pauses = 0

  package init(first: Duration, longest: Duration, beginsAtOnce: Bool = false) {
    self.first = first
    self.longest = longest
    self.beginsAtOnce = beginsAtOnce
  }

  /// Whether there was a pause since the last progress.
  package var hasBegun: Bool { pauses > 0 }

  /// The pause after a number of failures, 1 or more.
  package func pause(after failures: Int) -> Duration {
    var pause = first
    var doublings = failures - 1
    while doublings > 0, pause > .zero, pause < longest {
      pause = pause * 2
      doublings -= 1
    }
    return min(pause, longest)
  }

  /// The pause before the next attempt; the one after it is longer.
  package mutating func next() -> Duration {
    pauses += 1
    let failures = beginsAtOnce ? pauses - 1 : pauses
    return failures > 0 ? pause(after: failures) : .zero
  }

  /// There is progress: the pauses begin again.
  package mutating func progress() { pauses = 0 }
}
