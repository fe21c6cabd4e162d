// Decides which failures are worth another attempt within one connect, and what to do before it.
//
// Pure: failures in, the next step out. The effects are in BlueZOperations+Attempts.swift.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// The attempts of one connect.
struct ConnectAttempts: Equatable, Sendable {
  /// The kinds of a failed attempt.
  enum Failing: Equatable, Sendable {
    /// The connection failed, or dropped at once: `le-connection-abort-by-local` and related
    /// errors.
    case aborted
    /// The adapter refused to start: it is still ending the last connection.
    case notSettled
    /// Another attempt is in progress.
    case inProgress
    /// bluetoothd has removed the device.
    case vanished
    /// The adapter is off or powering on.
    case notReady
    /// bluetoothd or the controller is busy.
    case busy
    /// Another attempt would fail the same way.
    case definite
  }

  /// The program that made the attempt in progress.
  enum Owner: Equatable, Sendable {
    /// This program, which is cancelling it.
    case us
    /// A program that has died.
    case deadProgram
    /// Another program.
    case another
  }

  /// The preparation for the next attempt.
  enum Preparation: Equatable, Sendable {
    case nothing
    /// Wait until the connection is down: bluetoothd replies before it reports that.
    case awaitDown
    /// Wait for the other attempt; if it connects, use that connection.
    case awaitOther
    /// Disconnect once, which ends the abandoned attempt, and let it settle.
    case endOther
    /// Discover the device again.
    case findAgain
    case awaitPower
  }

  /// The decision about a failure.
  enum Decision: Equatable, Sendable {
    case fail
    case retry(Preparation, after: Duration)
  }

  /// The maximum number of attempts.
  let most: Int
  /// Whether the attempt of another program may be ended.
  let takesOver: Bool
  /// The number of attempts so far.
  private(set) var made = 0
  private var hasEndedOther = false

  /// Never reset: only a connection would be progress, and it ends the attempts.
  private static let backoff = Backoff(first: .milliseconds(250), longest: .seconds(4))

  init(most: Int, takesOver: Bool = false) {
    self.most = max(1, most)
    self.takesOver = takesOver
  }

  /// An attempt starts.
  mutating func begin() { made += 1 }

  /// The last attempt failed.
  ///
  /// - Parameter owner: The maker of the attempt in progress, if that attempt is why this one
  ///   failed.
  mutating func decide(_ failing: Failing, owner: Owner = .another) -> Decision {
    guard made < most else { return .fail }
    let wait = Self.backoff.pause(after: made)
    switch failing {
    case .aborted: return .retry(.awaitDown, after: wait)
    case .notSettled, .busy: return .retry(.nothing, after: max(wait, .milliseconds(500)))
    case .vanished: return .retry(.findAgain, after: .zero)
    case .notReady: return .retry(.awaitPower, after: wait)
    case .definite: return .fail
    case .inProgress:
      let mayEnd = owner == .deadProgram || (owner == .another && takesOver)
      guard mayEnd, !hasEndedOther else {
        return .retry(.awaitOther, after: max(wait, .seconds(1)))
      }
      hasEndedOther = true
      return .retry(.endOther, after: wait)
    }
  }
}

extension ConnectAttempts.Failing {
  /// Classifies the error of an attempt, by the table of meanings.
  ///
  /// - Parameter isAdapterOff: Whether the adapter was off when the error arrived.
  init(_ error: any Error, isAdapterOff: Bool) {
    switch error {
    case let error as DBusError where isAdapterOff && ErrorAnswer(error).isFailed: self = .notReady
    case let error as DBusError:
      self = ErrorMapping.meaning(error.refusal, ErrorSituation(.connect)).failing
    case let problem as Cause: self = problem.failing
    default: self = .definite
    }
  }
}
