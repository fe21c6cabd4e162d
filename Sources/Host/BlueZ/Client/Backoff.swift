// The pauses between attempts to connect, to subscribe again, or to start over.
//
// A pure value: it knows no clock.

/// Pauses that grow until there is progress.
struct Backoff: Equatable, Sendable {
  let first: Duration
  let longest: Duration
  private var pause: Duration?

  init(first: Duration, longest: Duration) {
    self.first = first
    self.longest = longest
  }

  /// Whether an attempt was made since there was progress.
  var hasBegun: Bool { pause != nil }

  /// The pause before the next attempt; the first attempt has none.
  mutating func next() -> Duration {
    defer { pause = pause.map { min($0 * 2, longest) } ?? first }
    return pause ?? .zero
  }

  /// There is progress: the next attempt comes at once.
  mutating func reset() { pause = nil }
}

extension Backoff {
  /// A subscription that is resumed; only a value is progress: a device that drops each connection is
  /// connected as seldom as one that is not there.
  static let resuming = Backoff(first: .milliseconds(250), longest: .seconds(5))
}
