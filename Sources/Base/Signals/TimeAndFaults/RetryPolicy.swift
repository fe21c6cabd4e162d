// Retry pacing: which failures are retried, how often, and after which waits.
//
// A pure value. It starts no timer and knows no device.

/// The failures to retry, the number of attempts, and the waits between them.
public struct RetryPolicy: Sendable {
  /// The total number of attempts, including the first.
  public let attempts: Int
  /// The wait before the second attempt.
  public let backoff: Duration
  /// The longest wait; waits double up to this limit.
  public let backoffLimit: Duration
  /// Whether a failure is transient, so that another attempt may succeed.
  public let retries: @Sendable (any Error) -> Bool

  /// Describes a policy.
  ///
  /// - Parameters:
  ///   - attempts: At least 1; 1 means no retry.
  ///   - backoff: The wait before the second attempt.
  ///   - backoffLimit: The longest wait; waits double up to this limit.
  ///   - retries: Whether to retry after a failure; by default always.
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

  /// The wait before an attempt.
  ///
  /// - Parameter attempt: The number of the attempt, 2 or more.
  public func wait(before attempt: Int) -> Duration {
    precondition(attempt >= 2, "the first try waits for nothing")
    return Backoff(first: backoff, longest: backoffLimit).pause(after: attempt - 1)
  }
}
