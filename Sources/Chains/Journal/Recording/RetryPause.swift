// The time of the next attempt after a journal could not be written. Pure.

/// The pause between attempts to write. It doubles with each failure: an attempt costs time, and a
/// full disk is usually still full a moment later.
struct RetryPause: Sendable {
  /// The pause after the first failure.
  static let shortest = Duration.seconds(1)
  /// The maximum pause.
  static let longest = Duration.seconds(30)

  private var pause: Duration?
  private var until = Duration.zero

  /// An attempt failed.
  ///
  /// - Parameter time: Now, on any clock that does not go back.
  mutating func failed(at time: Duration) {
    let next = pause.map { min($0 * 2, Self.longest) } ?? Self.shortest
    pause = next
    until = time + next
  }

  /// An attempt succeeded: the next needs no pause.
  mutating func succeeded() { pause = nil }

  /// The time until the next attempt; nil when the last one succeeded.
  func wait(at time: Duration) -> Duration? { pause.map { _ in max(.zero, until - time) } }

  /// Whether an attempt may be made now.
  func isOver(at time: Duration) -> Bool { pause == nil || time >= until }
}
