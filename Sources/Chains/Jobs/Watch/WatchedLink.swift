// The state of a watched device's connection, and the pauses before it is reconnected.
//
// A pure value; it connects nothing.

import Bluetooth
import RunEvents
package import Signals

/// A connection that decides whether and when the device is reconnected.
package struct WatchedLink: Sendable {
  /// A change of the connection, for output.
  package enum Change: Hashable, Sendable {
    /// Connected for the first time, with all subscriptions active.
    case connected
    /// An attempt to connect and subscribe failed, for a different reason than the previous one. It
    /// is repeated, unless the plan forbids it.
    case failed(RunFailure)
    /// The connection dropped. It is reconnected, unless the plan forbids it.
    case lost(RunFailure)
    /// Connected and subscribed again, after this time.
    case reconnected(after: Duration)

    /// Whether the device is connected after the change.
    package var isConnected: Bool {
      switch self {
      case .connected, .reconnected: true
      case .failed, .lost: false
      }
    }
  }

  /// The parts of a failure that make it a new one for the user.
  private struct Reason: Hashable, Sendable {
    let code: DeviceFailure.Code
    let what: String
    let bluez: BlueZAnswer?
  }

  private var inactive: Set<Int>
  private let series: Set<Int>
  /// Whether all series of the device have been active.
  package private(set) var hasBegun = false
  /// The time at which the connection dropped; nil while it is up, and before the first one.
  package private(set) var lostAt: Instant?
  /// Only a value is progress, which shows that the connection works.
  private var backoff = Backoff(first: .milliseconds(250), longest: .seconds(5))
  /// The reason of the last failure; nil once all series are active.
  private var reason: Reason?

  /// Creates the state of a device that is not connected.
  package init(series: some Sequence<Int>) {
    self.series = Set(series)
    inactive = self.series
  }

  /// Whether all series of the device are active now.
  package var isActive: Bool { inactive.isEmpty }

  /// Records that a series is active.
  ///
  /// - Returns: The change, if it was the last inactive series; otherwise nil.
  package mutating func active(_ index: Int, at now: Instant) -> Change? {
    guard inactive.remove(index) != nil, inactive.isEmpty else { return nil }
    defer {
      hasBegun = true
      lostAt = nil
      reason = nil
    }
    return lostAt.map { .reconnected(after: now - $0) } ?? .connected
  }

  /// A value was received: the pauses begin again.
  package mutating func received() { backoff.progress() }

  /// Records that the connection is unusable.
  ///
  /// - Returns: The change; nil if it was already unusable for the same reason.
  package mutating func lost(_ failure: RunFailure, at now: Instant) -> Change? {
    inactive = series
    let former = reason
    // Only these parts: details such as the RSSI of other devices change with each attempt.
    reason = Reason(code: failure.code, what: failure.what, bluez: failure.bluez)
    guard hasBegun, lostAt == nil else { return reason == former ? nil : .failed(failure) }
    lostAt = now
    return .lost(failure)
  }

  /// The pause before the next attempt.
  package mutating func nextPause() -> Duration { backoff.next() }

  /// Whether another attempt to connect can succeed. The device may come into range, bluetoothd may
  /// restart, and the adapter may be powered again, but a lost D-Bus connection does not return.
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
