// The input and output of a watch's state machine: changes, and the events that result.

package import Bluetooth
import RunEvents

/// A change during a watch. Devices and series are identified by their indices in the plan.
package enum WatchChange: Sendable {
  /// An attempt to connect began.
  case connecting(device: Int)
  /// The device is connected.
  case connected(device: Int, LinkOrigin)
  /// The characteristic was subscribed to, or read for the first time.
  case active(series: Int)
  case value(series: Int, Sample)
  /// Values were lost.
  case gap(series: Int, NotificationGap)
  /// The device could not be connected, or its connection dropped or became unusable.
  case lost(device: Int, RunFailure)
  /// A window of rates ended; the number of the window, from 1.
  case windowEnded(Int)
}

/// The events that result from one change.
package struct WatchOutput: Sendable {
  /// The index of the device; nil if the output combines several devices.
  package var device: Int?
  /// The event for the journal of the device.
  package var recorded: RunEvent?
  /// The event to print.
  package var printed: RunEvent?
  /// The change of the device's connection, if there was one.
  package var link: WatchedLink.Change?
  /// The new run, after all chains of the previous run have ended; nil if the run continues.
  package var nextRun: RunIdentity?

  package init() {}

  init(device: Int, recorded: RunEvent?) {
    self.device = device
    self.recorded = recorded
  }

  /// Whether the output is a printed record, which counts towards the limit.
  var isRecord: Bool {
    if case .data(_, .value)? = printed?.change { true } else { false }
  }
}

/// A mark for an event in a watch, with its text.
package struct WatchMark: Equatable, Sendable {
  package enum Kind: String, Sendable {
    case connected, disconnected, reconnected, gap, fault, note

    /// The first letter in upper case, which is unique to each kind.
    package var letter: Character { Character(rawValue.prefix(1).uppercased()) }
  }

  package let kind: Kind
  package let text: String

  package init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  /// Creates the mark for a change of a connection.
  package init(_ change: WatchedLink.Change) {
    switch change {
    case .connected: self.init(.connected, "connected")
    case .reconnected(let lasted):
      let seconds = DecodedValue.real(lasted / .seconds(1), decimals: 1)
      self.init(.reconnected, "connected again after \(seconds) s")
    case .lost(let failure), .failed(let failure):
      self.init(failure.class == .passing ? .disconnected : .fault, failure.why)
    }
  }

  /// Creates the mark for lost values; nil if the connection dropped, which has a mark of its own.
  package init?(_ gap: NotificationGap, of name: String) {
    guard gap.cause != .linkLost else { return nil }
    self.init(.gap, "\(name): \(counted(gap.dropped, "value")) dropped")
  }
}
