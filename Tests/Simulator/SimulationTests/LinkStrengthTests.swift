// The strength of a simulated link, as our client sees it.

import BLETesting
import BlueZ
import BlueZSimulator
import Bluetooth
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Signal strength of a simulated link")
struct LinkStrengthTests {
  private func strengths(seed: UInt64) throws -> [LinkStrength] {
    let simulation = try Simulation(seed: seed)
    let service = simulation.service
    let outcome = service.connect()
      .flattenMap { service.rssi().flattenMap { first in service.rssi().map { [first, $0] } } }
      .firstOrDefault([], within: .seconds(20))
    #expect(outcome.error == nil)
    return outcome.value
  }

  @Test("the RSSI varies around the device's own value, and repeats with the seed")
  func drawn() throws {
    let seen = try strengths(seed: 1)
    #expect(seen.count == 2)
    #expect(seen.allSatisfy { (-64 ... -56).contains($0.rssi) && $0.txPower == 0 })
    #expect(try strengths(seed: 1) == seen)
    let others = try (2...6).map { try strengths(seed: $0) }
    #expect(others.contains { $0 != seen })
  }

  @Test(
    "a connected link has the kernel's default connection parameters, or the device's own interval",
    arguments: [nil, 15]
  )
  func timing(interval: Int?) throws {
    var definition = DeviceDefinition.thermometer
    definition.link.speed = interval.map { LinkSpeed(interval: .milliseconds($0)) }
    let simulation = try Simulation(definition: definition)
    let service = simulation.service
    let outcome = service.connect().flattenMap { service.connectionParameters() }
      .map { Optional($0) }.firstOrDefault(nil, within: .seconds(20))
    #expect(outcome.value?.interval == .milliseconds(interval ?? 30))
    let without = service.connectionParameters().map { Optional($0) }
      .firstOrDefault(nil, within: .seconds(20))
    #expect((without.error as? DeviceFailure)?.code == .notConnected)
  }

  private static let wanted = ConnectionParameters(
    interval: .milliseconds(15), latency: 4, supervisionTimeout: .seconds(4)
  )

  @Test("changed parameters hold from six connection events later until the end of the connection")
  func changed() throws {
    let simulation = try Simulation()
    let (service, loop) = (simulation.service, simulation.loop)
    let times = Recorded<Instant>()
    let changed = service.connect().flattenMap { _ -> Signal<ConnectionParameters> in
      times.add(loop.now)
      return service.changeConnectionParameters(to: Self.wanted)
    }
    let both = changed.flattenMap { got -> Signal<[ConnectionParameters]> in
      times.add(loop.now)
      return service.connectionParameters().map { [got, $0] }
    }
    let outcome = both.firstOrDefault([], within: .seconds(20))
    #expect(outcome.error == nil)
    #expect(outcome.value == [Self.wanted, Self.wanted])
    #expect(times.all.count == 2 && times.all[1] - times.all[0] == .milliseconds(180))
    let next = service.connect().flattenMap { service.connectionParameters() }
      .map { Optional($0) }.firstOrDefault(nil, within: .seconds(20))
    #expect(next.value?.interval == .milliseconds(30))
  }

  @Test("a device refuses an interval that is shorter than it agrees to, and the parameters stay")
  func refused() throws {
    var definition = DeviceDefinition.thermometer
    definition.link.shortestInterval = .milliseconds(20)
    let simulation = try Simulation(definition: definition)
    let service = simulation.service
    let outcome = service.connect().flattenMap { _ in
      service.changeConnectionParameters(to: Self.wanted).map { Optional($0) }
        .catchError { error -> Signal<ConnectionParameters?> in
          #expect((error as? DeviceFailure)?.code == .refused)
          #expect((error as? DeviceFailure)?.class == .definite)
          return service.connectionParameters().map { Optional($0) }
        }
    }.firstOrDefault(nil, within: .seconds(20))
    #expect(outcome.value?.interval == .milliseconds(30))
    var longer = Self.wanted
    longer.interval = .milliseconds(20)
    let agreed = service.connect()
      .flattenMap { [longer] in service.changeConnectionParameters(to: longer) }
      .map { Optional($0) }.firstOrDefault(nil, within: .seconds(20))
    #expect(agreed.value == longer)
  }

  // MARK: The PHY

  @Test(
    "a changed PHY holds from six connection events later until the end of the connection",
    arguments: [(nil, .oneMegabit), (.coded, .coded)] as [(PHY?, PHY)]
  )
  func changedPHY(own: PHY?, first: PHY) throws {
    var definition = DeviceDefinition.thermometer
    definition.link.speed = own.map { LinkSpeed(interval: .milliseconds(15), phy: $0) }
    let simulation = try Simulation(definition: definition)
    let (service, loop) = (simulation.service, simulation.loop)
    let times = Recorded<Instant>()
    let phys = service.connect().flattenMap { service.phy() }
      .flattenMap { before -> Signal<[LinkPHY]> in
        times.add(loop.now)
        return service.changePHY(to: .twoMegabit).flattenMap { agreed in
          times.add(loop.now)
          return service.phy().map { [before, agreed, $0] }
        }
      }
    let outcome = phys.firstOrDefault([], within: .seconds(20))
    #expect(outcome.error == nil)
    #expect(outcome.value == [LinkPHY(first), LinkPHY(.twoMegabit), LinkPHY(.twoMegabit)])
    let six = Duration.milliseconds(own == nil ? 180 : 90)
    #expect(times.all.count == 2 && times.all[1] - times.all[0] == six)
    let next = service.connect().flattenMap { service.phy() }
      .map { Optional($0) }.firstOrDefault(nil, within: .seconds(20))
    #expect(next.value == LinkPHY(first))
  }

  @Test("a connection keeps its PHY when the device does not agree to another one")
  func keptPHY() throws {
    var definition = DeviceDefinition.thermometer
    definition.link.phys = [.oneMegabit, .coded]
    let simulation = try Simulation(definition: definition)
    let service = simulation.service
    let outcome = service.connect()
      .flattenMap { service.changePHY(to: .coded) }
      .flattenMap { one in
        service.changePHY(to: .twoMegabit)
          .flattenMap { other in service.phy().map { [one, other, $0] } }
      }
      .firstOrDefault([], within: .seconds(20))
    #expect(outcome.error == nil)
    #expect(outcome.value == [PHY.coded, .coded, .coded].map { LinkPHY($0) })
  }

  @Test("without a link, and after its loss, the PHY fails with not-connected")
  func droppedPHY() throws {
    let simulation = try Simulation()
    let (service, simulator) = (simulation.service, simulation.simulator)
    let address = simulation.device.definition.address
    let dropped = service.connect().flattenMap { _ -> Signal<LinkPHY?> in
      simulation.loop.after(.milliseconds(100)) { simulator.loseLink(address) }
      return service.changePHY(to: .twoMegabit).map { Optional($0) }
    }
    for signal in [dropped, service.phy().map { Optional($0) }] {
      let outcome = signal.firstOrDefault(nil, within: .seconds(20))
      #expect((outcome.error as? DeviceFailure)?.code == .notConnected)
    }
  }

  @Test("a change on a connection that drops meanwhile fails with not-connected")
  func dropped() throws {
    let simulation = try Simulation()
    let (service, simulator) = (simulation.service, simulation.simulator)
    let address = simulation.device.definition.address
    let outcome = service.connect().flattenMap { _ -> Signal<ConnectionParameters?> in
      simulation.loop.after(.milliseconds(100)) { simulator.loseLink(address) }
      return service.changeConnectionParameters(to: Self.wanted).map { Optional($0) }
    }.firstOrDefault(nil, within: .seconds(20))
    #expect((outcome.error as? DeviceFailure)?.code == .notConnected)
    let without = service.changeConnectionParameters(to: Self.wanted).map { Optional($0) }
      .firstOrDefault(nil, within: .seconds(20))
    #expect((without.error as? DeviceFailure)?.code == .notConnected)
  }

  @Test("without a link, measuring the RSSI fails with not-connected")
  func notConnected() throws {
    let simulation = try Simulation()
    let outcome = simulation.service.rssi().map { Optional($0) }
      .firstOrDefault(nil, within: .seconds(20))
    let failure = outcome.error as? DeviceFailure
    #expect(failure?.code == .notConnected)
    #expect(failure?.operation == "measuring the link")
  }

  @Test("a service without a meter reports that it cannot measure")
  func noMeter() throws {
    let simulation = try Simulation(hasMeter: false)
    let service = simulation.service
    let outcome = service.connect().flattenMap { service.rssi().map { Optional($0) } }
      .firstOrDefault(nil, within: .seconds(20))
    #expect((outcome.error as? DeviceFailure)?.code == .notSupported)
  }
}
