// A soil sensor: what the app knows of the device.

import BlueZ
import Bluetooth
import Jobs
import Signals

/// A soil sensor, real or simulated.
public struct SoilSensor: Sendable {
  public let device: any Device

  public init(device: any Device) {
    self.device = device
  }

  /// The sensor in range whose name begins with `Soil-`.
  public static func nearby() async throws -> SoilSensor {
    let loop = EventLoop()
    let client = try await BlueZClient.open(on: loop)
    let scheduler = SerialScheduler(on: loop)
    let device = BlueZDevice(client: client, target: .name("Soil-*"), scheduler: scheduler)
    return SoilSensor(device: device)
  }

  /// The mean of three measurements, in percent. A dropped connection is tried again.
  public func moisture() -> Signal<Int> {
    device.session { device.notifications("ff01").take(3).collect() }
      .retry(RetryPolicy(attempts: 3, backoff: .seconds(5)))
      .map { values in values.map { Int($0.value[0]) }.reduce(0, +) / values.count }
  }

  /// Switches the pump on while the soil is drier than `limit`, in percent, and sends whether it did.
  public func water(below limit: Int) -> Signal<Bool> {
    moisture().flattenMap { moisture in
      guard moisture < limit else { return .just(false) }
      return device.session { device.write([1], to: "ff02") }.map { true }
    }
  }

  /// What a technician checks, as a chain: its report has each step with its result.
  public static func inspection() throws -> Plan {
    try Plan("Inspect the sensor", timeout: .seconds(10)) {
      try Step.read("battery-level").expect("percent", .atLeast(20)).captured(as: "battery")
      try Step.notify("ff01", count: 3, format: "u8").expect("value", .between(1, 99))
    }
  }
}
