// The login sessions, and the rate limits for wrong tokens and changes.
//
// Bounded tables without a clock; times are passed in.

import Signals

/// The logged-in browsers. Each has its own secret in a cookie.
struct Sessions {
  private let bound: Int
  private let duration: Duration
  /// Oldest first.
  private var open: [(secret: SecretText, until: Instant)] = []

  init(bound: Int, duration: Duration) {
    precondition(bound > 0, "at least one browser must be able to log in")
    self.bound = bound
    self.duration = duration
  }

  /// Adds a session. If there are too many, the oldest one ends.
  mutating func begin(_ secret: SecretText, at now: Instant) {
    open.removeAll { $0.until <= now }
    if open.count == bound { open.removeFirst() }
    open.append((secret, now + duration))
  }

  /// Whether a text is the secret of a session. Compares all of them, so that the time reveals nothing.
  func contains(_ text: some StringProtocol, at now: Instant) -> Bool {
    open.reduce(false) { found, session in
      session.secret.matches(text) && session.until > now || found
    }
  }
}

/// A rate limit for each address: a burst, then one request per pause.
///
/// It is the generic cell rate algorithm, which keeps one instant for each address.
struct RateLimit {
  /// The most addresses with their own entry; all further ones share one.
  static let addressBound = 1024

  private let burst: Int
  private let pause: Duration
  /// When the full burst is available to an address again.
  private var busyUntil: [String: Instant] = [:]

  init(burst: Int, pause: Duration) {
    precondition(burst > 0 && pause > .zero, "a limit allows something")
    self.burst = burst
    self.pause = pause
  }

  /// Whether the address has used up its burst.
  func isReached(by address: String, at now: Instant) -> Bool {
    guard let until = busyUntil[entry(for: address)] else { return false }
    return until - now > pause * (burst - 1)
  }

  /// Counts one request of the address.
  mutating func count(_ address: String, at now: Instant) {
    if busyUntil.count >= Self.addressBound { busyUntil = busyUntil.filter { $0.value > now } }
    let entry = entry(for: address)
    let from = max(busyUntil[entry] ?? now, now)
    // Requests beyond the burst do not extend the wait.
    busyUntil[entry] = min(from + pause, now + pause * burst)
  }

  private func entry(for address: String) -> String {
    busyUntil[address] != nil || busyUntil.count < Self.addressBound ? address : ""
  }
}
