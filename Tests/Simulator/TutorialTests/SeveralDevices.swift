// The code of docs/tutorials/several-devices.md.

import BLETesting
import Bluetooth
import Signals
import Testing

/// A sensor with a battery, and a characteristic that notifies every ten seconds.
func sensor(_ number: Int, battery: Int) -> DeviceSource {
  .yaml(
    """
    name: Sensor-\(number)
    address: C0:FF:EE:00:00:1\(number)
    services:
      - service: battery
        characteristics:
          - { characteristic: battery-level, properties: [read], value: { u8: \(battery) } }
      - service: ff00
        characteristics:
          - characteristic: ff01
            properties: [notify]
            wave: { parts: [{ u8: { low: \(number)0, high: \(number)9 } }], period: 1m, every: 10s }
    """
  )
}

@Suite("Several devices")
struct SeveralDevicesTutorial {
  @Test("the second device connects after the first has disconnected")
  func inTurn() throws {
    let world = try SimulatedWorld(sensor(1, battery: 80), sensor(2, battery: 40))
    let devices = [try world.service("Sensor-1"), try world.service("Sensor-2")]
    let levels = Signal.values(devices).flattenMap { device in
      device.session { device.read(.batteryLevel) }
    }
    .on(world.scheduler)
    #expect(try levels.collect().firstOrThrow(within: .seconds(60)) == [80, 40])
    let links = world.log.map(\.event).filter { $0.hasPrefix("link-") }
    #expect(links == ["link-up", "link-down", "link-up", "link-down"])
  }
}

/// The battery levels, in the order in which they arrive.
func batteryLevels(of devices: [any Device]) async throws -> [Int] {
  try await withThrowingTaskGroup(of: Int.self) { group in
    for device in devices {
      group.addTask {
        try await device.withConnection(within: .seconds(30)) { try await $0.read(.batteryLevel) }
      }
    }
    return try await group.reduce(into: []) { levels, level in levels.append(level) }
  }
}

extension SeveralDevicesTutorial {
  @Test("devices on separate schedulers are read at the same time")
  func sideBySide() async throws {
    let world = try SimulatedWorld(
      sensor(1, battery: 80), sensor(2, battery: 40), time: .real, settings: .instant
    )
    let devices = try ["Sensor-1", "Sensor-2"].map { name in
      try world.service(name, scheduler: SerialScheduler(on: world.loop, name: name))
    }
    #expect(try await batteryLevels(of: devices).sorted() == [40, 80])
  }
}

extension SeveralDevicesTutorial {
  @Test("the notifications of two devices are merged into one stream")
  func merged() throws {
    let world = try SimulatedWorld(sensor(1, battery: 80), sensor(2, battery: 40))
    let devices = [try world.service("Sensor-1"), try world.service("Sensor-2")]
    let readings = Signal.merge(
      devices.map { device in
        device.session {
          device.notifications("ff01").map { (device.deviceDescription, $0.value[0]) }
        }
      }
    )
    let values = try readings.take(6).collect().firstOrThrow(within: .seconds(120))
    #expect(Set(values.map(\.0)).count == 2)
    #expect(world.log.filter { $0.event == "link-down" }.count == 2)
  }
}
