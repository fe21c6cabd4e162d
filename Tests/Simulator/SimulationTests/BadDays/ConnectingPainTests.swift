// Known connection problems of BLE on Linux, and how this client handles them.

import BLETesting
import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Known problems of connecting")
struct ConnectingPainTests {
  @Test("after InProgress, the attempt of an exited run is ended, and ours succeeds")
  func staleAttempt() throws {
    let ledger = DeadOwner()
    let simulation = try Simulation(definition: .bench, ledger: ledger)
    simulation.expectNextChain()
    simulation.device.setFaults([
      FaultRule(on: .connect, occurrence: .nth(1), action: .slow(.seconds(39)))
    ])
    let dead = try simulation.bus.connect()
    try dead.send(simulation.unanswered("Connect"))
    try simulation.pass(.milliseconds(10))
    dead.close()
    let endured = simulation.endure(within: .seconds(20))
    #expect(endured.error == nil)
    simulation.expectRecovered()
  }

  @Test("our own scan is off before each Connect, and resumes afterwards")
  func scanning() throws {
    let simulation = try Simulation.bench()
    let simulator = simulation.simulator
    let scansAtConnect = Recorded<Bool>()
    simulator.treatCalls { [weak world = simulation.world] call in
      if call.member == "Connect" {
        let scans = (world?.events ?? []).compactMap { event in
          if case .scanning(let isOn) = event { isOn } else { nil }
        }
        scansAtConnect.add(scans.last ?? false)
      }
      return .take
    }
    let scan = simulation.service.scan(ScanFilter()).collect().observe { _ in }
    for _ in 0..<2 { #expect(simulation.endure().error == nil) }
    #expect(scansAtConnect.all == [false, false])
    #expect(simulation.history.last { $0.hasPrefix("scanning") } == "scanning on")
    scan.cancel()
    try simulation.pass(.seconds(1))
    #expect(simulation.history.last == "scanning off")
    simulation.expectRecovered()
  }

  @Test("a link left by a killed program is found and used")
  func leftBehind() throws {
    let simulation = try Simulation.bench()
    simulation.expectNextChain()
    let dead = try simulation.bus.connect()
    try dead.send(simulation.unanswered("Connect"))
    try simulation.pass(.seconds(1))
    dead.close()
    try simulation.pass(.seconds(60))
    #expect(simulation.ledger.isUp)
    let service = simulation.service
    let chain = service.connect(keep: false, expecting: [])
      .flattenMap { origin in service.read(.alert).map { _ in origin } }
    let found = chain.map { Optional($0) }.firstOrDefault(nil, within: .seconds(5))
    #expect(found.value == .found)
    // No known program owns the link; it ends only on request.
    #expect(simulation.ledger.isUp)
    #expect(simulation.endure(service.disconnect()).error == nil)
    simulation.expectRecovered()
  }

  @Test("a chain that hangs delays the next chain only until its deadline")
  func queue() throws {
    let simulation = try Simulation.bench()
    simulation.simulator.treatCalls { $0.member == "ReadValue" ? .ignore : .take }
    let (service, loop) = (simulation.service, simulation.loop)
    let began = loop.now
    let ends = Recorded<Duration>()
    for _ in 0..<3 {
      simulation.scheduler.schedule {
        let outcome = Stage.chain(service).firstOrDefault([], within: .seconds(5))
        #expect((outcome.error as? DeviceFailure)?.code == .timedOut)
        ends.add(loop.now - began)
      }
    }
    try simulation.scheduler.waitUntilIdle()
    #expect(ends.all.count == 3)
    for (index, end) in ends.all.enumerated() {
      #expect(end <= (.seconds(5) + .seconds(3)) * (index + 1))
    }
    simulation.expectReleased()
    simulation.simulator.treatCalls { _ in .take }
    simulation.expectNextChain()
  }
}
