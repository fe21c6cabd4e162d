// Which pairings go on side by side.

import Bluetooth
import Testing

@testable import BlueZ

@Suite("Pairings side by side")
struct PairingSlotsTests {
  func wish(_ id: UInt64, _ capability: AgentCapability) -> PairingSlots.Wish {
    PairingSlots.Wish(id: id, capability: capability, device: "Lock-\(id)")
  }

  @Test("pairings without requests run in parallel")
  func silent() {
    var slots = PairingSlots()
    for id in 1...5 { #expect(slots.enter(wish(UInt64(id), .noInputNoOutput)) == true) }
    #expect(slots.leave(3) == [])
    #expect(slots.enter(wish(3, .noInputNoOutput)) == true)
  }

  @Test("a pairing with requests runs alone, in order of arrival")
  func asked() {
    var slots = PairingSlots()
    #expect(slots.enter(wish(1, .keyboardOnly)) == true)
    #expect(slots.enter(wish(2, .keyboardOnly)) == false)
    #expect(slots.enter(wish(3, .noInputNoOutput)) == false)
    #expect(slots.enter(wish(4, .noInputNoOutput)) == false)
    #expect(slots.leave(1) == [2])
    #expect(slots.leave(2) == [3, 4])
    #expect(slots.leave(4) == [])
    #expect(slots.active.map(\.id) == [3])
  }

  @Test("no pairing is overtaken by one that it would have to wait for")
  func order() {
    var slots = PairingSlots()
    #expect(slots.enter(wish(1, .noInputNoOutput)) == true)
    #expect(slots.enter(wish(2, .displayYesNo)) == false)
    #expect(slots.enter(wish(3, .noInputNoOutput)) == false)
    #expect(slots.leave(1) == [2])
    #expect(slots.leave(2) == [3])
  }

  @Test("a pairing that leaves the queue lets the next ones proceed")
  func left() {
    var slots = PairingSlots()
    #expect(slots.enter(wish(1, .noInputNoOutput)) == true)
    #expect(slots.enter(wish(2, .keyboardOnly)) == false)
    #expect(slots.enter(wish(3, .noInputNoOutput)) == false)
    #expect(slots.leave(2) == [3])
    #expect(slots.active.map(\.id) == [1, 3])
    #expect(slots.waiting == [])
  }
}
