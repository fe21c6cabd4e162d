// Whether the store still has the contents that a client knows, and when that has to be checked.
//
// A pure value. NATSJobStore makes the checks, and sends nothing while the contents are not trusted.

package import Signals

/// The trust in the contents of a store, which a lost connection ends and a check restores.
///
/// The connection may be lost, and made again, while a check is under way. Then the check says nothing about
/// the contents behind the new connection, and another one follows.
package struct ContentsTrust: Sendable {
  /// The result of a check.
  package enum Finding: Sendable {
    /// There was no connection.
    case disconnected
    /// The contents could not be read.
    case failed
    /// The contents that this client knows.
    case known
    /// Other contents, which this client knows from now on.
    case replaced
  }

  /// The next check.
  package enum Next: Sendable {
    /// None, before the connection is made again or a request has no reply.
    case none
    case now
    case afterPause
  }

  /// Whether requests may be sent: old revisions mean nothing in other contents.
  package private(set) var isTrusted = true
  private var isChecking = false
  private var checkedAt: Instant?
  /// Whether the connection was lost since the check under way began.
  private var wasLost = false
  /// Whether the connection was made again since then.
  private var wasMade = false

  /// Creates the trust in contents that were just read.
  package init() {}

  /// Handles the loss of the connection.
  package mutating func lost() { (isTrusted, wasLost) = (false, true) }

  /// Begins a check because the connection was made again.
  ///
  /// - Returns: False if one is under way; another one follows it.
  package mutating func madeAgain(at now: Instant) -> Bool {
    wasMade = isChecking
    return begin(at: now)
  }

  /// Begins a check, unless one is under way, or the last one began less than `pause` ago.
  package mutating func begin(after pause: Duration = .zero, at now: Instant) -> Bool {
    if isChecking { return false }
    if let checkedAt, now - checkedAt < pause { return false }
    (isChecking, checkedAt, wasLost, wasMade) = (true, now, false, false)
    return true
  }

  /// Ends the check under way.
  package mutating func end(_ finding: Finding) -> Next {
    isChecking = false
    switch finding {
    case .known, .replaced:
      if !wasLost { isTrusted = true }
      return wasMade ? .now : .none
    case .disconnected: return wasMade ? .now : .none
    // While the contents are trusted, the next request without a reply is soon enough.
    case .failed: return isTrusted ? .none : .afterPause
    }
  }
}
