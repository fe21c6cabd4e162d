// Which signals ask the program to end once more, and which belong to a request that was made already.
//
// A pure value: signals and times in, decisions out. GNU timeout signals its child and then the whole
// group of processes, so that each request arrives twice.

/// The requests to end, by the signals that make them.
struct EndingRequests: Sendable {
  /// For how long the same signal is the same request.
  static let repeated = Duration.seconds(1)

  private var last: [SystemSignal: Duration] = [:]

  /// Whether a signal that asks the program to end is a request of its own.
  ///
  /// - Parameter now: The time on a clock that only advances.
  mutating func isNew(_ signal: SystemSignal, at now: Duration) -> Bool {
    if let before = last[signal], now - before < Self.repeated { return false }
    last[signal] = now
    return true
  }
}
