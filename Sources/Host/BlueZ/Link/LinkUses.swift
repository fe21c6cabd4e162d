// The turns of this program that use a connection, and how often each connected.
//
// A pure value: it connects and disconnects nothing. DeviceLink ends the connection when it says so.

import Signals

/// The uses of one connection.
///
/// A turn that connects while it holds the connection has another use of it: a session inside another
/// one leaves the connection up. A turn holds it until its last use has ended, and releases it at its
/// end otherwise.
struct LinkUses: Sendable {
  private struct Holder: Sendable {
    let turn: Turn
    /// The release at the end of the turn.
    let entry: Turn.Entry
    var count = 1
  }

  private var holders: [Holder] = []
  /// The connection stays up when the turns end.
  var isKept = false

  var isEmpty: Bool { holders.isEmpty }

  private func place(of turn: Turn) -> Int? { holders.firstIndex { $0.turn === turn } }

  /// Whether a turn has connected, and its uses have not all ended.
  func isHeld(by turn: Turn) -> Bool { place(of: turn) != nil }

  /// Whether the connection stays up when a turn no longer uses it.
  func staysUp(without turn: Turn) -> Bool { isKept || holders.contains { $0.turn !== turn } }

  /// A turn that holds the connection connects again.
  ///
  /// - Returns: False for a turn that does not hold it, which has to register its release first.
  mutating func addUse(by turn: Turn) -> Bool {
    guard let place = place(of: turn) else { return false }
    holders[place].count += 1
    return true
  }

  /// A turn holds the connection from now on, with one use.
  mutating func hold(by turn: Turn, releasedBy entry: Turn.Entry) {
    holders.append(Holder(turn: turn, entry: entry))
  }

  /// One use of a turn has ended.
  ///
  /// - Returns: Whether it was the last one of the turn, which is then removed as soon as the connection
  ///   has been ended, if it has to be.
  mutating func endUse(by turn: Turn) -> Bool {
    guard let place = place(of: turn) else { return false }
    holders[place].count -= 1
    return holders[place].count <= 0
  }

  /// A connect of the turn has replaced a connection that it held: it is no further use.
  mutating func joinUses(of turn: Turn) {
    guard let place = place(of: turn) else { return }
    holders[place].count = max(1, holders[place].count - 1)
  }

  /// A turn holds the connection no longer.
  ///
  /// - Returns: Its release, to be cancelled unless it is running.
  @discardableResult
  mutating func remove(_ turn: Turn) -> Turn.Entry? {
    place(of: turn).map { holders.remove(at: $0).entry }
  }

  /// The connection was ended: those that held it before hold it no longer, and nothing keeps it. A turn
  /// that connected after that is none of them.
  mutating func end(_ ended: LinkUses) {
    isKept = false
    for holder in ended.holders { remove(holder.turn) }
  }

  /// Cancels the releases of all turns.
  func cancelReleases() {
    for holder in holders { holder.turn.cancelRelease(holder.entry) }
  }
}
