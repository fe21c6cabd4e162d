// Which turns use a connection, and when it may end.

import Testing

@testable import BlueZ
@testable import Signals

@Suite("Uses of a connection")
struct LinkUsesTests {
  private let outer: Turn
  private let other: Turn

  init() {
    let loop = VirtualTimeLoop()
    outer = Turn(named: TurnName("outer"), on: loop)
    other = Turn(named: TurnName("other"), on: loop)
  }

  /// The uses after each of these turns has connected, one after the other.
  private func uses(by turns: [Turn]) -> LinkUses {
    var uses = LinkUses()
    for turn in turns where !uses.addUse(by: turn) {
      uses.hold(by: turn, releasedBy: turn.registerRelease(of: "the link") {})
    }
    return uses
  }

  @Test("a session inside another one leaves the connection up")
  func nested() {
    var uses = uses(by: [outer, outer])
    let isLast = [uses.endUse(by: outer), uses.endUse(by: outer)]
    #expect(isLast == [false, true])
    #expect(!uses.staysUp(without: outer))
    let entries = [uses.remove(outer), uses.remove(outer)]
    #expect(entries.map { $0 == nil } == [false, true])
    #expect(uses.isEmpty)
  }

  @Test("a connection stays up for another turn, and when it is kept")
  func others() {
    var uses = uses(by: [outer, other])
    let isLast = uses.endUse(by: outer)
    #expect(isLast && uses.staysUp(without: outer))
    uses.remove(outer)
    #expect(!uses.isHeld(by: outer) && uses.isHeld(by: other))
    #expect(!uses.staysUp(without: other))
    uses.isKept = true
    #expect(uses.staysUp(without: other))
  }

  @Test("a connect that replaces a dropped connection is no further use")
  func replaced() {
    var uses = uses(by: [outer, outer])
    uses.joinUses(of: outer)
    uses.joinUses(of: outer)
    uses.joinUses(of: other)
    let isLast = [uses.endUse(by: other), uses.endUse(by: outer)]
    #expect(isLast == [false, true])
  }

  @Test("the end of a connection leaves a turn that has connected since")
  func ended() {
    var before = uses(by: [outer])
    before.isKept = true
    var uses = before
    uses.hold(by: other, releasedBy: other.registerRelease(of: "the link") {})
    uses.end(before)
    #expect(!uses.isHeld(by: outer) && uses.isHeld(by: other) && !uses.isKept)
  }
}
