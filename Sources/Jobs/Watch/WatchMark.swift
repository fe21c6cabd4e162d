// What is marked over watched values: by letters on a terminal, and on the dashboard.

package import Bluetooth

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
