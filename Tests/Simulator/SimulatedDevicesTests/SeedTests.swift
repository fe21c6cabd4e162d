// Values and RSSI that depend only on the seed.

import Bluetooth
import Signals
import SimulatedDevices
import Testing

@Suite("Seeds")
struct SeedTests {
  func noisy(_ uuid: BluetoothUUID) throws -> CharacteristicDefinition {
    let number = MovingNumber(format: .plain(try format("u32")), low: 0, high: 4e9)
    let wave = Wave(parts: [.number(number)], period: .seconds(9), every: .seconds(1), noise: 0.5)
    return CharacteristicDefinition(.notify, .wave(wave), uuid: uuid)
  }

  func values(_ definition: DeviceDefinition, seed: UInt64) throws -> [Sent] {
    let bench = DeviceBench(definition, seed: seed)
    let handle = try bench.handle(.first)
    try bench.subscribe(handle)
    try bench.run(to: 20_500)
    return bench.sent(on: handle)
  }

  func strengths(_ definition: DeviceDefinition, seed: UInt64) -> [Int] {
    let device = DeviceBench(definition, seed: seed).device
    return (0..<100).map { _ in device.advertisement().rssi }
  }

  @Test("the same seed gives the same values and RSSI, a different seed different ones")
  func repeats() throws {
    let definition = DeviceDefinition.with([try noisy(.first)])
    let values = try values(definition, seed: 1)
    #expect(values.count == 20)
    #expect(try self.values(definition, seed: 1) == values)
    #expect(try self.values(definition, seed: 2) != values)
    #expect(strengths(definition, seed: 1) == strengths(definition, seed: 1))
    #expect(strengths(definition, seed: 1) != strengths(definition, seed: 2))
  }

  @Test("another characteristic or a fault rule does not change the draws")
  func independence() throws {
    var definition = DeviceDefinition.with([try noisy(.first)])
    let values = try values(definition, seed: 3)
    let strengths = strengths(definition, seed: 3)
    definition.services[0].characteristics.insert(try noisy(.second), at: 0)
    definition.faults = [FaultRule(on: .any, occurrence: .probability(0.5), action: .vanish)]
    #expect(try self.values(definition, seed: 3) == values)
    #expect(self.strengths(definition, seed: 3) == strengths)
  }

  @Test("two characteristics with one UUID move independently")
  func sameUUID() throws {
    let bench = DeviceBench(.with([try noisy(.first), try noisy(.first)]))
    try bench.subscribe(12)
    try bench.subscribe(15)
    try bench.run(to: 5500)
    #expect(bench.sent(on: 12) != bench.sent(on: 15))
  }

  @Test("the RSSI varies up to the spread of its definition, in both directions")
  func spread() {
    var definition = DeviceDefinition.with([])
    definition.advertisement.rssi = -70
    definition.advertisement.rssiSpread = 2
    #expect(Set(strengths(definition, seed: 0)) == [-72, -71, -70, -69, -68])
    definition.advertisement.rssiSpread = 0
    #expect(Set(strengths(definition, seed: 0)) == [-70])
  }
}
