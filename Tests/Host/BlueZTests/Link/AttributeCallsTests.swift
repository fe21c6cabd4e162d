// Calls that end without a reply.

import BlueZInterfaces
import Bluetooth
import DBus
import Fixtures
import Signals
import Testing

@testable import BlueZ

@Suite("Calls about attributes")
struct AttributeCallsTests {
  let bench: Bench

  init() throws { bench = try Bench() }

  @Test("a call declared unanswered while it is sent ends once: its reply is dropped")
  func declaredWhileSent() throws {
    let (loop, bluez, ours) = (bench.loop, bench.bluez, bench.ours)
    let calls = AttributeCalls(bus: ours, limits: BlueZLimits())
    let successes = Recorded<Bool>()
    try loop.run {
      try await bluez.start()
      // Called before the call has a serial.
      ours.observe { _, _ in calls.deviceRemoved() }
      calls.send(.bluez(ScriptedBlueZ.level, GattCharacteristic1.startNotify)) { reply in
        successes.add((try? reply.get()) != nil)
      }
      try await loop.sleep(for: .seconds(1))
    }
    #expect(bluez.calls == ["StartNotify"])
    #expect(successes.all == [false])
  }
}
