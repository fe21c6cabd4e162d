// Which failures are worth another attempt within one connect, and what to do before it.
//
// Pure: failures in, the next step out. The effects are in BlueZOperations+Attempts.swift.

import BlueZInterfaces
import Bluetooth
import DBus

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
    /// Another attempt fails the same way.
    case definite
  }

  /// Who made the attempt that is in progress.
  enum Owner: Equatable, Sendable {
    /// This program, which is cancelling it.
    case us
    /// A program that has died.
    case nobody
    /// Another program.
    case another
  }

  /// What to do before the next attempt.
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

  /// What to do about a failure.
  enum Decision: Equatable, Sendable {
    case fail
    case retry(Preparation, after: Duration)
  }

  /// The maximum number of attempts.
  let most: Int
  /// Whether the attempt of another program may be ended.
  let takesOver: Bool
  /// How many attempts were made.
  private(set) var made = 0
  private var hasEndedOther = false

  static let firstWait = Duration.milliseconds(250)
  static let longestWait = Duration.seconds(4)

  init(most: Int, takesOver: Bool = false) {
    self.most = max(1, most)
    self.takesOver = takesOver
  }

  /// An attempt starts.
  mutating func begin() { made += 1 }

  /// The last attempt failed.
  ///
  /// - Parameter owner: Who made the attempt that is in progress, when that is why it failed.
  mutating func decide(_ failing: Failing, owner: Owner = .another) -> Decision {
    guard made < most else { return .fail }
    let wait = min(Self.firstWait * (1 << min(max(0, made - 1), 8)), Self.longestWait)
    switch failing {
    case .aborted: return .retry(.awaitDown, after: wait)
    case .notSettled, .busy: return .retry(.nothing, after: max(wait, .milliseconds(500)))
    case .vanished: return .retry(.findAgain, after: .zero)
    case .notReady: return .retry(.awaitPower, after: wait)
    case .definite: return .fail
    case .inProgress:
      let mayEnd = owner == .nobody || (owner == .another && takesOver)
      guard mayEnd, !hasEndedOther else {
        return .retry(.awaitOther, after: max(wait, .seconds(1)))
      }
      hasEndedOther = true
      return .retry(.endOther, after: wait)
    }
  }
}

extension ConnectAttempts.Failing {
  /// Classifies the error of an attempt.
  ///
  /// - Parameter isAdapterOff: Whether the adapter was off when the error arrived.
  init(_ error: any Error, isAdapterOff: Bool) {
    switch error {
    case let error as DBusError: self = Self.of(ErrorAnswer(error), isAdapterOff)
    case let problem as Cause: self = Self.of(problem)
    default: self = .definite
    }
  }

  private static func of(_ problem: Cause) -> Self {
    if [.deviceRemoved, .objectGone].contains(problem) { return .vanished }
    if [.lostWhileResolving, .linkLost].contains(problem) { return .aborted }
    return .definite
  }

  private static func of(_ answer: ErrorAnswer, _ isAdapterOff: Bool) -> Self {
    switch answer.name {
    case BlueZErrorName.Bus.unknownObject, BlueZErrorName.doesNotExist: return .vanished
    case BlueZErrorName.notReady: return .notReady
    case BlueZErrorName.inProgress: return .inProgress
    case BlueZErrorName.busy, BlueZErrorName.notAvailable: return .busy
    case BlueZErrorName.failed: break
    default: return .definite
    }
    if isAdapterOff { return .notReady }
    if let reason = ConnectionText(parsing: answer.text) { return of(reason) }
    switch answer {
    case .connectPending: return .inProgress
    case .inputOutputError: return .notSettled
    default: return of(errno: answer.text)
    }
  }

  private static func of(_ reason: ConnectionText) -> Self {
    switch reason {
    case .abortByLocal, .abortByRemote, .timeout, .linkLayerProtocolError, .unknown, .canceled:
      return .aborted
    case .busy, .gattBrowsing, .concurrentConnectionLimit, .memoryAllocation, .createSocket,
      .badSocket:
      return .busy
    case .alreadyConnected: return .notSettled
    case .adapterNotPowered: return .notReady
    // open: reasons in texts of bluetoothd
    default: return .definite
    }
  }

  /// Before 5.62 the texts are those of `strerror`.
  private static func of(errno text: String) -> Self {
    switch text {
    case "Software caused connection abort", "Connection reset by peer", "Host is down",
      "Connection timed out", "Transport endpoint is not connected":
      .aborted
    case "Device or resource busy", "Resource temporarily unavailable": .busy
    case "Operation now in progress": .inProgress
    default: .definite
    }
  }
}
