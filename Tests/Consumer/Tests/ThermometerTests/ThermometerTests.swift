// The example of docs/testing.md: code under test, and its tests with a simulated device.

import BLETesting
import Bluetooth
import Signals
import Testing

/// The code under test. It needs a device service, real or simulated.
struct Thermometer {
  let device: any Device

  /// Connects, reads the battery level, and disconnects, also when the read fails.
  func batteryLevel() -> Signal<Int> {
    device.session { device.read(.batteryLevel) }
  }

  /// The notified battery levels, until the connection drops.
  func batteryLevels() -> Signal<UInt8> {
    let level = CharacteristicSelector(characteristic: BluetoothUUID(short: 0x2a19))
    return device.session { device.notifications(level).map { $0.value.first ?? 0 } }
  }
}

@Suite("A thermometer")
struct ThermometerTests {
  @Test("reads the battery level and disconnects")
  func battery() throws {
    let world = try SimulatedWorld(.file("thermometer.yaml"))
    let thermometer = Thermometer(device: try world.service())
    #expect(thermometer.batteryLevel().firstOrDefault(0, within: .seconds(10)).value == 87)
    #expect(world.log.last?.event == "link-down")
  }

  @Test("a changed value is notified, and a minute of waiting costs no time")
  func change() throws {
    let world = try SimulatedWorld(.file("thermometer.yaml"))
    let thermometer = Thermometer(device: try world.service())
    world.loop.after(.seconds(60)) { try? world.setValue([12], of: "battery-level") }
    let level = thermometer.batteryLevels().firstOrDefault(0, within: .seconds(90))
    #expect(level.value == 12)
  }

  @Test("a connection that drops during a read fails with linkLost")
  func lost() throws {
    let world = try SimulatedWorld(.file("thermometer.yaml"))
    let thermometer = Thermometer(device: try world.service())
    try world.addFault("{ on: read, characteristic: battery-level, do: lose-link }")
    let outcome = thermometer.batteryLevel().firstOrDefault(0, within: .seconds(10))
    #expect((outcome.error as? DeviceFailure)?.code == .linkLost)
    #expect(world.log.contains { $0.event == "GattCharacteristic1.ReadValue" })
  }

  @Test("async code runs against the same device in real time")
  func inRealTime() async throws {
    let world = try SimulatedWorld(.file("thermometer.yaml"), time: .real, settings: .instant)
    let thermometer = Thermometer(device: try world.service())
    #expect(try await thermometer.batteryLevel().first(within: .seconds(10)) == 87)
  }
}
