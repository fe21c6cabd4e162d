// The app with a simulated sensor.

import BLETesting
import Bluetooth
import Garden
import Jobs
import Signals
import Testing

@Suite("A soil sensor")
struct SoilSensorTests {
  private let world: SimulatedWorld
  private let sensor: SoilSensor

  init() throws {
    world = try SimulatedWorld(.file("sensor.yaml"))
    sensor = SoilSensor(device: try world.service())
  }

  @Test("the moisture is the mean of three values")
  func moisture() throws {
    #expect(try sensor.moisture().firstOrThrow(within: .seconds(30)) == 22)
  }

  @Test("dry soil switches the pump on, moist soil does not", arguments: [(30, true), (10, false)])
  func pump(limit: Int, isOn: Bool) throws {
    #expect(try sensor.water(below: limit).firstOrThrow(within: .seconds(60)) == isOn)
    #expect(try world.value(of: "ff02") == [isOn ? 1 : 0])
    #expect(world.log.last?.event == "link-down")
  }

  @Test("a dropped connection costs another attempt, and no time")
  func dropped() throws {
    world.loop.after(.seconds(4)) { [world] in try? world.dropLink() }
    #expect(try sensor.moisture().firstOrThrow(within: .seconds(60)) == 22)
    #expect(world.log.filter { $0.event == "link-up" }.count == 2)
  }

  @Test("the inspection reports what it found")
  func inspection() throws {
    let report = try SoilSensor.inspection().run(on: sensor.device, within: .seconds(60))
    #expect(report.succeeded, "\(report)")
    #expect(report.captured["battery"]?.number == 64)
  }
}
