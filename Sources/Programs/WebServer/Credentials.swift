// Who is logged in, and who guesses: bounded tables, without a clock.

import Signals

/// The browsers that sent the token in the form, each with a secret of its own in its cookie.
struct Sessions {
  private let bound: Int
  private let duration: Duration
  /// Oldest first.
  private var open: [(secret: SecretText, until: Instant)] = []

  init(bound: Int, duration: Duration) {
    precondition(bound > 0, "somebody must be able to log in")
    self.bound = bound
    self.duration = duration
  }

  /// Logs a browser in; the oldest is logged out when there are too many.
  mutating func begin(_ secret: SecretText, at now: Instant) {
    open.removeAll { $0.until <= now }
    if open.count == bound { open.removeFirst() }
    open.append((secret, now + duration))
  }

  /// Whether the text is the secret of a browser that is logged in; looks at each of them.
  func contains(_ text: some StringProtocol, at now: Instant) -> Bool {
    open.reduce(false) { found, session in
      session.secret.matches(text) && session.until > now || found
    }
  }
}

/// How often each address may do something: a few times at once, then once in a while.
///
/// The generic cell rate algorithm: one instant for each address.
struct RateLimit {
  /// More addresses than that share one entry.
  static let addressBound = 1024

  private let burst: Int
  private let pause: Duration
  /// When an address would be free of what it did; later than now.
  private var busyUntil: [String: Instant] = [:]

  init(burst: Int, pause: Duration) {
    precondition(burst > 0 && pause > .zero, "a limit allows something")
    self.burst = burst
    self.pause = pause
  }

  /// Whether it has to wait.
  func isReached(by address: String, at now: Instant) -> Bool {
    guard let until = busyUntil[entry(for: address)] else { return false }
    return until - now > pause * (burst - 1)
  }

  /// It did it once more.
  mutating func count(_ address: String, at now: Instant) {
    if busyUntil.count >= Self.addressBound { busyUntil = busyUntil.filter { $0.value > now } }
    let entry = entry(for: address)
    let from = max(busyUntil[entry] ?? now, now)
    // No address is held back for longer than the whole burst, however often it tries.
    busyUntil[entry] = min(from + pause, now + pause * burst)
  }

  private func entry(for address: String) -> String {
    busyUntil[address] != nil || busyUntil.count < Self.addressBound ? address : ""
  }
}
