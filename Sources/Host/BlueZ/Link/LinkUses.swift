// The turns of this program that use a connection, and how often each connected.
//
// A pure value: it connects and disconnects nothing. DeviceLink ends the connection when it says so.

import Signals

/// The uses of one connection.
///
/// A turn that connects while it holds the connection has another use of it: a session inside
/// another one leaves the connection up. A turn holds the connection until its last use has ended,
/// or else until the end of the turn.
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

  /// Adds a use to a turn that holds the connection and connects again.
  ///
  /// - Returns: False for a turn that does not hold it, which has to register its release first.
  mutating func addUse(by turn: Turn) -> Bool {
    guard let place = place(of: turn) else { return false }
    holders[place].count += 1
    return true
  }

  /// Makes a turn hold the connection, with one use.
  mutating func hold(by turn: Turn, releasedBy entry: Turn.Entry) {
    holders.append(Holder(turn: turn, entry: entry))
  }

  /// Ends one use of a turn.
  ///
  /// - Returns: Whether it was the last use of the turn. The caller then removes the turn, after it
  ///   has ended the connection if necessary.
  mutating func endUse(by turn: Turn) -> Bool {
    guard let place = place(of: turn) else { return false }
    holders[place].count -= 1
    return holders[place].count <= 0
  }

  /// Removes the extra use of a connect that replaced a connection which the turn held.
  mutating func joinUses(of turn: Turn) {
    guard let place = place(of: turn) else { return }
    holders[place].count = max(1, holders[place].count - 1)
  }

  /// Removes a turn, which no longer holds the connection.
  ///
  /// - Returns: Its release, to be cancelled unless it is running.
  @discardableResult
  mutating func remove(_ turn: Turn) -> Turn.Entry? {
    place(of: turn).map { holders.remove(at: $0).entry }
  }

  /// Removes the turns that held the connection when it was ended, and no longer keeps it up. A
  /// turn that has connected since then stays.
  mutating func end(_ ended: LinkUses) {
    isKept = false
    for holder in ended.holders { remove(holder.turn) }
  }

  /// Cancels the releases of all turns.
  func cancelReleases() {
    for holder in holders { holder.turn.cancelRelease(holder.entry) }
  }
}
