// The code of docs/tutorials/first-chain.md.

import BLETesting
import BlueZ
import Bluetooth
import Signals
import Testing

let thermometer = DeviceSource.yaml(
  """
  name: Thermo-1
  address: C0:FF:EE:00:00:01
  services:
    - service: battery
      characteristics:
        - { characteristic: battery-level, properties: [read], value: { u8: 87 } }
    - service: device-information
      characteristics:
        - { characteristic: manufacturer-name-string, properties: [read], value: { utf8: ACME } }
  """
)

/// The battery level in percent: connects, reads, disconnects.
func batteryLevel(of device: any Device) -> Signal<Int> {
  device.session { device.read(.batteryLevel) }
}

@Suite("Your first chain")
struct FirstChainTutorial {
  @Test("a session reads the battery level, and has disconnected when the value arrives")
  func battery() throws {
    let world = try SimulatedWorld(thermometer)
    let level = batteryLevel(of: try world.service())
    #expect(!world.log.contains { $0.event == "Device1.Connect" })
    #expect(try level.firstOrThrow(within: .seconds(30)) == 87)
    #expect(world.log.last?.event == "link-down")
  }
}

/// A line such as `ACME: 87 %`.
func label(of device: any Device) -> Signal<String> {
  device.session {
    device.read(.manufacturerNameString).flattenMap { name in
      device.read(.batteryLevel).map { level in "\(name): \(level) %" }
    }
  }
}

extension FirstChainTutorial {
  @Test("two reads share one connection")
  func twoReads() throws {
    let world = try SimulatedWorld(thermometer)
    let line = try label(of: try world.service()).firstOrThrow(within: .seconds(30))
    #expect(line == "ACME: 87 %")
    #expect(world.log.filter { $0.event == "link-up" }.count == 1)
  }
}

extension FirstChainTutorial {
  @Test("a connection that drops during the read is a transient failure; a retry gets the value")
  func retried() throws {
    let world = try SimulatedWorld(thermometer)
    let level = batteryLevel(of: try world.service())
    try world.addFault("{ on: read, characteristic: battery-level, nth: 1, do: lose-link }")
    let outcome = level.firstOrDefault(0, within: .seconds(30))
    #expect(outcome.value == 0)
    #expect((outcome.error as? DeviceFailure)?.code == .linkLost)
    #expect((outcome.error as? DeviceFailure)?.class == .passing)

    try world.addFault("{ on: read, characteristic: battery-level, nth: 1, do: lose-link }")
    let patient = level.retry(RetryPolicy(attempts: 3, backoff: .seconds(2)))
    #expect(try patient.firstOrThrow(within: .seconds(60)) == 87)
  }
}

/// Reads the battery level of the first device in range whose name begins with `Thermo`.
func printRealBatteryLevel() async throws {
  let loop = EventLoop()
  let client = try await BlueZClient.open(on: loop)
  let device = BlueZDevice(
    client: client, target: .name("Thermo*"), scheduler: SerialScheduler(on: loop)
  )
  print(try await batteryLevel(of: device).first(within: .seconds(30)))
}
