// The promises of the Swift API, tested from another package.

import BLETesting
import Bluetooth
import Signals
import Testing

/// A characteristic of one's own, in one line.
extension Characteristic where Value == Double {
  static var soilMoisture: Self { Self("2af0", .steps(of: 0.01, in: .u16)) }
}

/// The reaction to a failure. The compiler checks that no kind is left out.
func advice(for error: any Error) -> String {
  switch FailureKind(error) {
  case .timedOut(let deadline): "\(deadline.operation) within \(deadline.limitOf ?? "its limit")"
  case .link(.lost, _): "lost"
  case .link(.notConnected, _), .link(.notMade, _), .notFound, .busy: "again"
  case .refused(let att), .notPermitted(let att): "refused \(att?.rawValue ?? 0)"
  case .notPaired, .pairingFailed: "pair"
  case .host: "host"
  case .missing: "another device"
  case .invalidValue(let error): "malformed \(error?.field ?? "")"
  case .cancelled, .noValue, .valuesLost, .cleanUpFailed: "as it is"
  case .misuse(.turnEnded): "too late"
  case .notSupported, .ambiguous, .misuse, .other: "change the program"
  }
}

@Suite("Promises of the Swift API")
struct PromiseTests {
  enum Local {
    @TaskLocal static var name = "nobody"
  }

  static let sensor = DeviceSource.yaml(
    """
    name: Sensor
    address: C0:FF:EE:00:00:71
    services:
      - service: battery
        characteristics:
          - { characteristic: battery-level, properties: [read, notify], value: { u8: 42 } }
      - service: 5a110001-7e57-4c0d-9a00-0123456789ab
        characteristics:
          - { characteristic: 2af0, properties: [read, write], value: { hex: "2c 01" } }
      - service: heart-rate
        characteristics:
          - { characteristic: heart-rate-measurement, properties: [read], value: { hex: "10 3c 00 04" } }
          - { characteristic: body-sensor-location, properties: [read], value: { hex: "" } }
    """
  )

  private func world(_ fault: String? = nil) throws -> (SimulatedWorld, any Device) {
    let world = try SimulatedWorld(Self.sensor)
    if let fault { try world.addFault(fault) }
    return (world, try world.service())
  }

  @Test("characteristics have types, one's own in one line")
  func types() throws {
    let (world, device) = try world()
    let read = try world.loop.run {
      try await device.withConnection(within: .seconds(60)) { connection in
        try await connection.write(5.13, to: .soilMoisture)
        let raw = try await connection.read("2af0")
        let heart = try await connection.read(.heartRateMeasurement)
        return (raw, heart, try await connection.read(.soilMoisture))
      }
    }
    #expect(read.0 == [1, 2])
    #expect(read.1.bpm == 60 && read.1.rrIntervals == [1] && read.1.contact == nil)
    #expect(abs(read.2 - 5.13) < 0.001)
  }

  @Test("every error has a kind, and a deadline is of one kind wherever it is")
  func kinds() throws {
    let (world, device) = try world("{ fault: no-answer, on: read, characteristic: battery-level }")
    defer { withExtendedLifetime(world) {} }
    let read = device.read(.batteryLevel)
    let around = device.session { read }.timeout(.seconds(5), "the session")
    let inside = device.session { read.timeout(.seconds(5), "the read") }
    for (chain, limitOf) in [(around, "the session"), (inside, "the read")] {
      let outcome = chain.firstOrDefault(0, within: .seconds(60))
      #expect(outcome.error.map(advice) == "reading battery-level within \(limitOf)")
    }
    let own = device.session { read }.firstOrDefault(0, within: .seconds(5))
    #expect(own.error.map(advice) == "reading battery-level within firstOrDefault")
    let malformed = device.session { device.read(.bodySensorLocation) }
      .firstOrDefault("", within: .seconds(60))
    #expect(malformed.error.map(advice) == "malformed location")
    let none = device.read(.batteryLevel).firstOrDefault(0, within: .seconds(60))
    #expect(none.error.map(advice) == "again")
    #expect((none.error as? DeviceFailure)?.hint.contains("--") == false)
  }

  @Test("waiting for a turn in vain names who has it, and for how long")
  func holder() throws {
    let (world, device) = try world()
    let scheduler = device.scheduler
    let error = try world.loop.run { [loop = world.loop] in
      let update = loop.task {
        try await scheduler.turn(named: "firmware update") {
          try await loop.sleep(for: .seconds(60))
        }
      }
      try await loop.sleep(for: .seconds(10))
      do {
        _ = try await device.withConnection(within: .seconds(5)) { try await $0.mtu() }
        return FailureKind.other
      } catch {
        try await update.value
        return FailureKind(error)
      }
    }
    guard case .timedOut(let deadline) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(deadline.holder?.turn == "firmware update")
    #expect(deadline.holder?.scheduler == scheduler.name)
    #expect(deadline.holder?.held == .seconds(15))
  }

  @Test("a turn sees the task-local values of whoever asked for it")
  func taskLocals() throws {
    let (world, device) = try world()
    let names = try world.loop.run { [loop = world.loop] in
      let tasks = ["a", "b", "c"].map { name in
        Local.$name.withValue(name) {
          loop.task { try await device.scheduler.turn { Local.name } }
        }
      }
      var names: [String] = []
      for task in tasks { names.append(try await task.value) }
      return names
    }
    #expect(names == ["a", "b", "c"])
  }

  @Test("a shared run ends with the turn that began it")
  func shared() throws {
    let (world, device) = try world()
    let shared = device.notifications(.batteryLevel).share()
    let ending = Guarded<String?>(nil)
    try world.loop.run { [loop = world.loop] in
      try await device.withConnection(within: .seconds(60)) { connection in
        loop.after(.seconds(5)) {
          shared.observe(on: loop) { event in
            if case .failed(let error) = event { ending.withLock { $0 = advice(for: error) } }
          }
        }
        loop.after(.seconds(10)) { try? world.setValue([7], of: "battery-level") }
        for try await level in connection.values(of: shared).prefix(1) { #expect(level == 7) }
      }
      try await loop.sleep(for: .seconds(1))
    }
    #expect(ending.withLock { $0 } == "too late")
  }
}
