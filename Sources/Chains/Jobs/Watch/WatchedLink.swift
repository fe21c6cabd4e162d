// The connection of a watched device: when it is made again, and after which pause.
//
// A pure value.

import Bluetooth
package import Signals

/// Decides whether a device is connected again.
package struct WatchedLink: Sendable {
  /// A change of the connection, for people.
  package enum Change: Hashable, Sendable {
    /// It is connected for the first time, and everything is subscribed.
    case connected
    /// An attempt to connect and subscribe failed, for another reason than the one before; it is
    /// repeated, unless the plan forbids it.
    case failed(RunFailure)
    /// The connection dropped; it is made again, unless the plan forbids it.
    case lost(RunFailure)
    /// It is connected and subscribed again, after this time.
    case reconnected(after: Duration)

    /// Whether the device is connected now.
    package var isConnected: Bool {
      switch self {
      case .connected, .reconnected: true
      case .failed, .lost: false
      }
    }
  }

  /// What distinguishes failures for people.
  private struct Reason: Hashable, Sendable {
    let code: DeviceFailure.Code
    let what: String
    let bluez: BlueZAnswer?
  }

  private static let firstPause = Duration.milliseconds(250)
  private static let longestPause = Duration.seconds(5)

  private var inactive: Set<Int>
  private let series: Set<Int>
  /// Whether everything of the device was active once.
  package private(set) var hasBegun = false
  /// When the connection dropped; nil while it is up, and before the first one.
  package private(set) var lostAt: Instant?
  private var pause = Self.firstPause
  /// Of the last failure; nil once everything is active.
  private var reason: Reason?

  /// A device that is not connected.
  package init(series: some Sequence<Int>) {
    self.series = Set(series)
    inactive = self.series
  }

  /// Whether everything of the device is active now.
  package var isActive: Bool { inactive.isEmpty }

  /// A characteristic is active.
  ///
  /// - Returns: The change, when it was the last one.
  package mutating func active(_ index: Int, at now: Instant) -> Change? {
    guard inactive.remove(index) != nil, inactive.isEmpty else { return nil }
    defer {
      hasBegun = true
      lostAt = nil
      reason = nil
    }
    return lostAt.map { .reconnected(after: now - $0) } ?? .connected
  }

  /// A value arrived: the connection is of use.
  package mutating func received() { pause = Self.firstPause }

  /// The connection cannot be used.
  ///
  /// - Returns: The change; nil when it was not usable before either, for the same reason.
  package mutating func lost(_ failure: RunFailure, at now: Instant) -> Change? {
    inactive = series
    let former = reason
    // Details, such as the RSSI of other devices in range, change with each attempt.
    reason = Reason(code: failure.code, what: failure.what, bluez: failure.bluez)
    guard hasBegun, lostAt == nil else { return reason == former ? nil : .failed(failure) }
    lostAt = now
    return .lost(failure)
  }

  /// The pause before the next attempt: it doubles until a value arrives.
  package mutating func nextPause() -> Duration {
    defer { pause = min(pause * 2, Self.longestPause) }
    return pause
  }

  /// Whether another attempt to connect can help, be it the first one or a later one: the device may
  /// come into range. A restarted bluetoothd and an adapter that is switched on again help; a bus
  /// that is gone does not come back.
  package func canConnect(after failure: RunFailure) -> Bool {
    switch failure.class {
    case .passing: return failure.isWorthAnotherTry
    case .unavailable:
      return failure.code != .busLost && failure.code != .busUnreachable
        && failure.code != .capabilityMissing
    case .definite: return false
    }
  }
}
