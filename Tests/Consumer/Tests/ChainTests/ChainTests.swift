// Chains in a package of somebody else's: from a file or from building blocks, run and observed.

import BLETesting
import Bluetooth
import Documents
import Jobs
import Signals
import Testing

@Suite("A chain of another package")
struct ChainTests {
  static let sensor = DeviceSource.yaml(
    """
    name: Soil-1
    address: C0:FF:EE:00:00:01
    services:
      - service: battery
        characteristics:
          - { characteristic: battery-level, properties: [read], value: { u8: 87 } }
      - service: ff00
        characteristics:
          - characteristic: ff01
            properties: [notify]
            wave: { parts: [{ u16: { low: 400, high: 900 } }], period: 1m, every: 100ms }
    """
  )

  static let file =
    #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    + "/soil.yaml"

  @Test("a file, run in virtual time: its record has the verdict and the captured values")
  func file() throws {
    let world = try SimulatedWorld(Self.sensor)
    let plan = try Plan(file: Self.file)
    let report = try plan.run(on: try world.service(), within: .seconds(60))
    #expect(report.succeeded, "\(report)")
    #expect(report.captured["battery"]?.number == 87)
    #expect(report.steps.map(\.title).count == 4)
    #expect(world.log.last?.event == "link-down")
  }

  @Test("a failure has the line of the file, an invalid file all its errors with theirs")
  func errors() throws {
    let world = try SimulatedWorld(Self.sensor)
    let plan = try Plan(file: Self.file, with: ["least": "90"])
    let report = try plan.run(on: try world.service(), within: .seconds(60))
    #expect(report.failures.map(\.code) == [.expectationNotMet])
    #expect(report.failures.map(\.source) == [Place(file: Self.file, line: 5, column: 5)])
    let invalid = #expect(throws: DocumentErrors.self) {
      try Plan.parse("steps: [{ reed: battery-level }]", file: "soil.yaml")
    }
    #expect(invalid?.problems.map(\.place) == [Place(file: "soil.yaml", line: 1, column: 11)])
  }

  @Test("async code runs building blocks on the device, and is called with each event")
  func blocks() async throws {
    @StepsBuilder func charged(atLeast percent: Int) throws -> [Step] {
      try Step.read("battery-level").captured(as: "battery")
      try Step.assert("battery.percent", .atLeast(Bound(percent)))
    }
    let world = try SimulatedWorld(Self.sensor, time: .real, settings: .instant)
    let values = Guarded(0)
    let plan = try Plan("Soil") {
      try charged(atLeast: 20)
      try Step.notify("ff01", count: 1, format: "u16")
    }
    let report = try await plan.run(on: try world.service(), within: .seconds(60)) { event in
      if case .data(_, .value) = event.change { values.withLock { $0 += 1 } }
    }
    #expect(report.succeeded, "\(report)")
    #expect(values.withLock { $0 } == 2)
  }

  @Test("events are an asynchronous sequence; a failing step has its line")
  func events() async throws {
    let world = try SimulatedWorld(Self.sensor, time: .real, settings: .instant)
    let plan = try Plan {
      try Step.read("battery-level").expect("percent", .above(90))
    }
    var failures: [Place?] = []
    for try await event in plan.events(on: try world.service()).values {
      if case .step(.finished(let result)) = event.change, let failure = result.failure {
        failures.append(failure.source)
      }
    }
    #expect(failures == [Place(file: #fileID, line: #line - 8)])
  }
}
