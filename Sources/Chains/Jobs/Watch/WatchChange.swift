// What happens while devices are watched, and what is made of it.

package import Bluetooth

/// One thing that happened. Devices and series are named by their indexes in the plan.
package enum WatchChange: Sendable {
  /// An attempt to connect begins.
  case connecting(device: Int)
  /// The device is connected.
  case connected(device: Int, LinkOrigin)
  /// The characteristic is subscribed, or was read.
  case active(series: Int)
  /// A value arrived.
  case value(series: Int, Sample)
  /// Values are missing.
  case gap(series: Int, NotificationGap)
  /// The connection could not be made, dropped, or cannot be used any more.
  case lost(device: Int, RunFailure)
  /// A window of rates is over: the ordinal of the window, from 1.
  case windowEnded(Int)
}

/// What one change leads to.
package struct WatchOutput: Sendable {
  /// The device that it is about, by its index; nil for what is made of several.
  package var device: Int?
  /// The event for the journal of the device.
  package var recorded: RunEvent?
  /// The event that is printed.
  package var printed: RunEvent?
  /// How the connection of the device changed.
  package var link: WatchedLink.Change?
  /// The run that begins with it: all chains of the run before have ended.
  package var nextRun: RunIdentity?

  /// Nothing.
  package init() {}

  init(device: Int, recorded: RunEvent?) {
    self.device = device
    self.recorded = recorded
  }

  /// Whether it is a printed record, which counts.
  var isRecord: Bool {
    if case .value? = printed?.change { true } else { false }
  }
}

/// Something that happened in a watch, for people.
package struct WatchMark: Equatable, Sendable {
  /// What kind of thing it is.
  package enum Kind: String, Sendable {
    case connected, disconnected, reconnected, gap, fault, note

    /// The first letter, which no other has.
    package var letter: Character { Character(rawValue.prefix(1).uppercased()) }
  }

  package let kind: Kind
  package let text: String

  package init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  /// The connection of a device changed.
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

  /// Values are missing; nil where the connection was lost, which has a mark of its own.
  package init?(_ gap: NotificationGap, of name: String) {
    guard gap.cause != .linkLost else { return nil }
    self.init(.gap, "\(name): \(counted(gap.dropped, "value")) dropped")
  }
}
