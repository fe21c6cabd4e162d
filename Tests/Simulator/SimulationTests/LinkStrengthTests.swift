// The strength of a simulated link, as our client sees it.

import BlueZ
import Bluetooth
import Signals
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

  @Test("a connected link has the kernel's default connection parameters")
  func timing() throws {
    let simulation = try Simulation()
    let service = simulation.service
    let outcome = service.connect().flattenMap { service.connectionParameters() }
      .map { Optional($0) }.firstOrDefault(nil, within: .seconds(20))
    #expect(outcome.value?.interval == .milliseconds(30))
    let without = service.connectionParameters().map { Optional($0) }
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
