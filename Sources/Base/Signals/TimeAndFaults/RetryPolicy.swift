// How often, and how far apart, work is tried again.
//
// A pure value. It starts no timer and knows no device.

/// Which failures are tried again, how often, and after which waits.
public struct RetryPolicy: Sendable {
  /// How many tries there are in all, the first included.
  public let attempts: Int
  /// The wait before the second try.
  public let backoff: Duration
  /// The longest wait; waits double up to it.
  public let backoffLimit: Duration
  /// Whether a failure may pass by itself.
  public let retries: @Sendable (any Error) -> Bool

  /// Describes a policy.
  ///
  /// - Parameters:
  ///   - attempts: At least 1; 1 means no second try.
  ///   - backoff: The wait before the second try.
  ///   - backoffLimit: The longest wait; waits double up to it.
  ///   - retries: Whether a failure is worth another try; by default each is.
  public init(
    attempts: Int, backoff: Duration = .zero, backoffLimit: Duration = .seconds(30),
    retries: @escaping @Sendable (any Error) -> Bool = { _ in true }
  ) {
    precondition(attempts >= 1, "there is at least one try")
    self.attempts = attempts
    self.backoff = backoff
    self.backoffLimit = backoffLimit
    self.retries = retries
  }

  /// How long to wait before try number `attempt`.
  ///
  /// - Parameter attempt: 2 or more: the first try waits for nothing.
  public func wait(before attempt: Int) -> Duration {
    precondition(attempt >= 2, "the first try waits for nothing")
    var wait = backoff
    for _ in 2..<attempt where wait < backoffLimit { wait = wait * 2 }
    return min(wait, backoffLimit)
  }
}
