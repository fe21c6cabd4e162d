// Characteristics with a type, through connections and through signals.

import BLETesting
import Bluetooth
import Signals
import Testing

@Suite("Typed characteristics of a device")
struct TypedConnectionTests {
  static let device = DeviceSource.yaml(
    """
    name: Sensor
    address: C0:FF:EE:00:00:61
    services:
      - service: battery
        characteristics:
          - { characteristic: battery-level, properties: [read, notify], value: { u8: 42 } }
      - service: link-loss
        characteristics:
          - { characteristic: 2af0, properties: [read, write], value: { hex: "2c 01" } }
          - { characteristic: alert-level, properties: [read, write], value: { u8: 0 } }
      - service: heart-rate
        characteristics:
          - { characteristic: heart-rate-measurement, properties: [read, notify], value: { hex: "10 3c 00 04" } }
          - { characteristic: body-sensor-location, properties: [read], value: { hex: "" } }
    """
  )

  @Test("a connection reads, writes and receives values with fields")
  func connection() throws {
    let world = try SimulatedWorld(Self.device)
    let device = try world.service()
    world.loop.after(.seconds(30)) {
      try? world.setValue([0x10, 61, 0, 2], of: "heart-rate-measurement")
    }
    try world.loop.run {
      try await device.withConnection(within: .seconds(600)) { connection in
        #expect(try await connection.read(.batteryLevel) == 42)
        let present = try await connection.read(.heartRateMeasurement)
        #expect(present == HeartRateMeasurement(bpm: 60, rrIntervals: [1]))
        try await connection.write("high alert", to: .alertLevel)
        #expect(try await connection.read("alert-level") == [2])
        #expect(try await connection.read(.soilMoisture) == 300)
        try await connection.write(513, to: .soilMoisture)
        #expect(try await connection.read("2af0") == [1, 2])
        try await connection.write([7], to: "2af0", kind: .request, offset: 1)
        #expect(try await connection.read("2af0", offset: 1) == [7])
        var beats: [HeartRateMeasurement] = []
        for try await beat in connection.notifications(.heartRateMeasurement).prefix(1) {
          beats.append(beat)
        }
        #expect(beats == [HeartRateMeasurement(bpm: 61, rrIntervals: [0.5])])
      }
    }
    #expect(world.isReleased)
  }

  @Test("signals read, write and receive values with fields")
  func signals() throws {
    let world = try SimulatedWorld(Self.device)
    let device = try world.service()
    let written = device.session {
      device.write("mild alert", to: .alertLevel).then { device.read(.alertLevel) }
    }
    #expect(try written.firstOrThrow(within: .seconds(30)) == "mild alert")
    world.loop.after(.seconds(60)) { try? world.setValue([12], of: "battery-level") }
    let notified = device.session { device.notifications(.batteryLevel) }
    #expect(try notified.firstOrThrow(within: .seconds(90)) == 12)
    let subscribed = device.session {
      device.subscribe(.heartRateMeasurement).flattenMap { $0.take(1) }
    }
    world.loop.after(.seconds(60)) {
      try? world.setValue([0, 70], of: "heart-rate-measurement")
    }
    #expect(try subscribed.firstOrThrow(within: .seconds(90)).bpm == 70)
  }

  @Test("a malformed value fails with a named error; a value that cannot be encoded is never sent")
  func malformed() throws {
    let world = try SimulatedWorld(Self.device)
    let device = try world.service()
    let read = device.session { device.read(.bodySensorLocation) }.firstResult(within: .seconds(30))
    #expect(throws: MalformedValue.self) { try read.get() }
    let write = device.session { device.write("loud", to: .alertLevel) }
      .firstResult(within: .seconds(30))
    #expect(throws: MalformedValue.self) { try write.get() }
    #expect(world.count("GattCharacteristic1.WriteValue") == 0)
    #expect(world.isReleased)
  }
}

extension Characteristic where Value == Int {
  fileprivate static var soilMoisture: Self { Self("2af0", .u16) }
}
