// When a journal that could not be written is tried again. Pure.

/// The pause between attempts to write, which grows with each that fails: what is tried costs the
/// run time, and a disk that is full now mostly is so a moment later.
struct RetryPause: Sendable {
  /// After the first failure.
  static let shortest = Duration.seconds(1)
  /// However many there were.
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
  mutating func wentWell() { pause = nil }

  /// How long no attempt is made yet; nil when the last one succeeded.
  func wait(at time: Duration) -> Duration? { pause.map { _ in max(.zero, until - time) } }

  /// Whether an attempt may be made now.
  func isOver(at time: Duration) -> Bool { pause == nil || time >= until }
}
