// Connection parameters that are derived from the events of a trace.

import Bluetooth
import Testing

@testable import HostController

@Suite("Connection parameters from events")
struct LinkTimingTests {
  private var timings = LinkTimings()

  private func event(_ octets: [UInt8], of index: UInt16 = 0) -> MonitorPacket {
    MonitorPacket(opcode: MonitorPacket.event, index: index, payload: octets)
  }

  /// A link to C0:FF:EE:00:00:`last` whose interval is 24, 30 ms.
  private func made(handle: UInt8, last: UInt8, status: UInt8 = 0) -> [UInt8] {
    [
      0x3e, 0x13, 0x01, status, handle, 0x00, 0x00, 0x01, last, 0x00, 0x00, 0xee, 0xff, 0xc0, 0x18,
      0x00, 0x00, 0x00, 0x48, 0x00, 0x00,
    ]
  }

  /// Interval 6, 7.5 ms.
  private func updated(handle: UInt8) -> [UInt8] {
    [0x3e, 0x0a, 0x03, 0x00, handle, 0x00, 0x06, 0x00, 0x00, 0x00, 0x48, 0x00]
  }

  private func intervals() -> [String] {
    timings.all.map { "\($0.address) \($0.parameters.interval / .microseconds(1))" }
  }

  @Test("a connection keeps its first parameters until they are updated")
  mutating func update() {
    timings.observe(event(made(handle: 0x40, last: 1)))
    #expect(intervals() == ["C0:FF:EE:00:00:01 30000.0"])
    timings.observe(event(updated(handle: 0x40)))
    #expect(intervals() == ["C0:FF:EE:00:00:01 7500.0"])
  }

  @Test("only an active connection has parameters, and only on its own controller")
  mutating func present() throws {
    let address = try #require(BluetoothAddress("C0:FF:EE:00:00:01"))
    timings.observe(event(made(handle: 0x40, last: 1)))
    #expect(timings.present(address, over: 0)?.interval == .milliseconds(30))
    #expect(timings.present(address, over: 1) == nil)
    timings.observe(event([0x05, 0x04, 0x00, 0x40, 0x00, 0x13]))
    #expect(timings.present(address, over: 0) == nil)
  }

  @Test("an update applies to the handle and the controller that it names")
  mutating func others() {
    timings.observe(event(made(handle: 0x40, last: 1)))
    timings.observe(event(updated(handle: 0x41)))
    timings.observe(event(updated(handle: 0x40), of: 1))
    var asCommand = event(updated(handle: 0x40))
    asCommand = MonitorPacket(opcode: 2, index: asCommand.index, payload: asCommand.payload)
    timings.observe(asCommand)
    #expect(intervals() == ["C0:FF:EE:00:00:01 30000.0"])
  }

  @Test("a failed attempt adds no connection, and a handle can be reused for another device")
  mutating func again() {
    timings.observe(event(made(handle: 0x40, last: 3, status: 0x3e)))
    timings.observe(event(made(handle: 0x40, last: 1)))
    timings.observe(event([0x05, 0x04, 0x00, 0x40, 0x00, 0x13]))
    timings.observe(event(made(handle: 0x40, last: 2)))
    timings.observe(event(updated(handle: 0x40)))
    #expect(intervals() == ["C0:FF:EE:00:00:01 30000.0", "C0:FF:EE:00:00:02 7500.0"])
    timings.observe(event(made(handle: 0x41, last: 1)))
    #expect(intervals() == ["C0:FF:EE:00:00:02 7500.0", "C0:FF:EE:00:00:01 30000.0"])
  }
}
