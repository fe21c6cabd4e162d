// Between blocking calls no thread drives the loop, and bluetoothd's messages wait in the socket.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Messages received while no thread runs the loop", .blocking)
struct HeardLaterTests {
  @Test("the next connect handles an adapter that was switched off and on meanwhile")
  func adapter() throws {
    let daemon = try PrivateDaemon()
    let simulation = try Simulation(on: EventLoop(), over: daemon, settings: .instant)
    let (service, simulator) = (simulation.service, simulation.simulator)
    for _ in 0..<5 {
      simulator.setPowered(false)
      let off = service.connect().firstOrDefault((), within: .seconds(20))
      #expect((off.error as? DeviceFailure)?.code == .adapterOff)
      simulator.setPowered(true)
      let on = service.connect().flattenMap { service.disconnect() }
        .firstOrDefault((), within: .seconds(20))
      #expect(on.error == nil)
    }
  }

  @Test("the next chain does not use a link that dropped meanwhile")
  func link() throws {
    let daemon = try PrivateDaemon()
    let simulation = try Simulation(on: EventLoop(), over: daemon, settings: .instant)
    let (service, simulator) = (simulation.service, simulation.simulator)
    for _ in 0..<5 {
      let kept = service.connect(keep: true, expecting: [])
        .firstOrDefault(.found, within: .seconds(20))
      #expect(kept.value == .made)
      simulator.loseLink(simulation.device.definition.address)
      let next = service.connect(keep: false, expecting: [])
        .firstOrDefault(.found, within: .seconds(20))
      #expect(next.value == .made)
    }
  }
}
