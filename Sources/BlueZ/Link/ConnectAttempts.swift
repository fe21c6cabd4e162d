// Which failures to connect are worth another attempt within one connect, after which preparation.
//
// Pure: failures in, what to do next out. The effects are BlueZDeviceService+Attempts.swift's.

import BlueZInterfaces
import Bluetooth
import DBus

/// The attempts of one connect.
struct ConnectAttempts: Equatable, Sendable {
  /// What a failed attempt was.
  enum Failing: Equatable, Sendable {
    /// The link could not be made, or fell at once: `le-connection-abort-by-local` and its kin.
    case aborted
    /// The adapter would not begin: it is still ending the last link.
    case notSettled
    /// Somebody's attempt is under way.
    case inProgress
    /// bluetoothd has forgotten the device.
    case vanished
    /// The adapter is off or on its way.
    case notReady
    /// bluetoothd or the controller is busy otherwise.
    case busy
    /// Trying again gives the same.
    case definite
  }

  /// Whose attempt it is that is under way.
  enum Owner: Equatable, Sendable {
    /// Ours, on its way out.
    case us
    /// Nobody's any more: its program is dead.
    case nobody
    /// Another program's.
    case another
  }

  /// What comes before the next attempt.
  enum Preparation: Equatable, Sendable {
    case nothing
    /// Wait until the link is seen to be down: bluetoothd answers before it says so.
    case awaitDown
    /// Wait whether the other attempt makes the link, which is then used.
    case awaitOther
    /// Disconnect once, which ends the attempt that nobody waits for, and let it settle.
    case endOther
    /// Find the device again.
    case findAgain
    case awaitPower
  }

  /// What is done about a failure.
  enum Decision: Equatable, Sendable {
    case fail
    case retry(Preparation, after: Duration)
  }

  /// How many attempts there are at most.
  let most: Int
  /// Whether the attempt of another program may be ended.
  let takesOver: Bool
  /// How many were made.
  private(set) var made = 0
  private var hasEndedOther = false

  static let firstWait = Duration.milliseconds(250)
  static let longestWait = Duration.seconds(4)

  init(most: Int, takesOver: Bool = false) {
    self.most = max(1, most)
    self.takesOver = takesOver
  }

  /// An attempt begins.
  mutating func begin() { made += 1 }

  /// The last attempt failed.
  ///
  /// - Parameter owner: Whose attempt is under way, where that is why it failed.
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
  /// What an error of an attempt was.
  ///
  /// - Parameter isAdapterOff: The adapter was seen to be off when it came.
  init(_ error: any Error, isAdapterOff: Bool) {
    switch error {
    case let error as DBusError: self = Self.of(ErrorAnswer(error), isAdapterOff)
    case let problem as Problem: self = Self.of(problem.explanation)
    default: self = .definite
    }
  }

  private static func of(_ explanation: Explanation) -> Self {
    if [.deviceRemoved, .objectGone].contains(explanation) { return .vanished }
    if [.lostWhileResolving, .linkLost].contains(explanation) { return .aborted }
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
