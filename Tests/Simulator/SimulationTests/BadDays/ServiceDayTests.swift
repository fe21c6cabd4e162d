// ServicesResolved comes too early, or never, or there are no services.

import BlueZ
import BlueZSimulator
import Bluetooth
import Signals
import SimulatedDevices
import Testing

@Suite("Bad days: the services")
struct ServiceDayTests {
  private func simulation(_ resolution: ServiceResolution) throws -> Simulation {
    let simulation = try Simulation.bench()
    simulation.simulator.resolve(resolution, at: simulation.address)
    return simulation
  }

  private func expecting(_ services: [ServiceSelector], _ simulation: Simulation) -> Signal<[UInt8]>
  {
    let service = simulation.service
    return service.connect(keep: false, expecting: services)
      .flattenMap { _ in service.read(.alert) }
  }

  @Test("if ServicesResolved comes too early, the objects are waited for")
  func early() throws {
    let simulation = try simulation(.early(.milliseconds(400)))
    #expect(simulation.endure().error == nil)
    simulation.expectRecovered()
  }

  @Test("if ServicesResolved is early and one service is late, that service is waited for")
  func partial() throws {
    let simulation = try Simulation.bench()
    let (simulator, address) = (simulation.simulator, simulation.address)
    simulator.offer(.alert, false, at: address)
    _ = simulation.strike(.resolving) {
      simulation.loop.after(.milliseconds(500)) { simulator.offer(.alert, true, at: address) }
    }
    let endured = simulation.endure(expecting(["battery", "immediate-alert"], simulation))
    #expect(endured.error == nil)
    simulation.expectRecovered()
  }

  @Test("if a subscribed service disappears for a while, the stream resumes")
  func missingForAWhile() throws {
    let simulation = try Simulation.bench()
    let (simulator, address, loop) = (simulation.simulator, simulation.address, simulation.loop)
    _ = simulation.strike(.subscribed) {
      simulator.offer(.alert, false, at: address)
      loop.after(.seconds(3)) { simulator.offer(.alert, true, at: address) }
    }
    let service = simulation.service
    let options = SubscriptionOptions(onLinkLoss: .resume)
    let events = service.session {
      service.subscribe(.stream, options).flattenMap { $0.take(20) }.collect()
    }
    let outcome = events.firstOrDefault([], within: .seconds(60))
    #expect(outcome.error == nil)
    #expect(outcome.value.count { $0.notification == nil } == 1)
    simulation.expectReleased()
    simulation.expectNextChain()
  }

  @Test(
    "without ServicesResolved, the failure is timed-out at bluetoothd's limits or the deadline"
  )
  func never() throws {
    let simulation = try simulation(.never)
    // The limit of 35 s, and Disconnect's 2 s.
    let long = simulation.endure()
    Verdict(.timedOut, .passing, within: .seconds(38)).check(long)
    simulation.expectReleased()
    let short = simulation.endure(within: .seconds(5))
    Verdict(.timedOut, .passing, within: .seconds(5 + 2)).check(short)
    // The link was up: a hanging connection has other words.
    let unread = "the device is connected, but bluetoothd has not read its services within"
    for (error, limit) in [(long.error, "35 s"), (short.error, "5 s")] {
      #expect((error as? DeviceFailure)?.meaning == "\(unread) \(limit)")
    }
    simulation.expectReleased()
    simulation.simulator.resolve(.inOrder, at: simulation.address)
    simulation.expectNextChain()
  }

  @Test("if Generic Access is not offered, the failure says so and where to find the name")
  func genericAccess() throws {
    let simulation = try Simulation.bench()
    let service = simulation.service
    let endured = simulation.endure(
      service.connect().flattenMap { _ in service.read("device-name") }
    )
    let failure = try #require(endured.error as? DeviceFailure)
    #expect(failure.code == .characteristicMissing)
    #expect(failure.meaning.hasPrefix("bluetoothd keeps Generic Access (1800) of every device"))
    #expect(failure.hint.contains("(Name, Appearance)"))
  }

  @Test("if no services are listed, a wanted service is a transient missing failure")
  func empty() throws {
    let simulation = try simulation(.empty)
    Verdict(.characteristicMissing, .passing, within: .seconds(5)).check(simulation.endure())
    simulation.expectReleased()
    let endured = simulation.endure(expecting(["immediate-alert"], simulation))
    Verdict(.serviceMissing, .passing, within: .seconds(5)).check(endured)
    simulation.expectReleased()
    simulation.simulator.resolve(.inOrder, at: simulation.address)
    simulation.expectNextChain()
  }

  @Test("if only other services are listed, the missing service is a permanent failure")
  func other() throws {
    let simulation = try Simulation.bench()
    let endured = simulation.endure(expecting(["immediate-alert", "heart-rate"], simulation))
    Verdict(.serviceMissing, .definite, within: .seconds(5)).check(endured)
    simulation.expectRecovered()
  }
}
