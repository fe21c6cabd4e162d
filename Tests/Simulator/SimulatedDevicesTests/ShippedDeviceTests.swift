// The devices in the folder Simulators load and behave as documented.

import Bluetooth
import Fixtures
import Foundation
import Signals
import SimulatedDevices
import Testing

@Suite("Shipped devices")
struct ShippedDeviceTests {
  static let folder = URL(filePath: projectFolder).appending(path: "Simulators/devices")

  static let files = [
    "battery.yaml", "beacon.yaml", "door.yaml", "echo.yaml", "firmware-update.yaml", "glucose.yaml",
    "heart-rate.yaml", "lock.yaml", "smp-update.yaml", "tag.yaml", "thermometer.yaml",
    "thingy.yaml",
    "uart.yaml",
  ]

  func definition(_ file: String) throws -> DeviceDefinition {
    let devices = try DeviceFile.load(path: Self.folder.appending(path: file).path)
    #expect(devices.count == 1)
    return try #require(devices.first)
  }

  func decoded(_ uuid: UInt16, _ octets: [UInt8]) throws -> DecodedValue {
    let decode = try #require(StandardValues.decoder(for: BluetoothUUID(short: uuid)))
    return try decode(octets)
  }

  @Test("the list contains every shipped file")
  func all() throws {
    let found = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(found.filter { $0.hasSuffix(".yaml") }.sorted() == Self.files)
    #expect(
      found.filter { !$0.hasSuffix(".yaml") }.sorted() == ["door.py", "glucose.csv", "thingy.csv"]
    )
  }

  @Test("each device advertises its name and first service, at its own address")
  func names() throws {
    let definitions = try Self.files.map(definition)
    let names = ["Battery", "Beacon", "Door", "Echo", "DFU", "Glucose", "HRM", "Lock"]
    #expect(
      definitions.map(\.name)
        == (names + ["SMP", "Tag", "Thermo", "Thingy", "UART"]).map { $0 + "-1" })
    #expect(Set(definitions.map(\.address)).count == definitions.count)
    for definition in definitions {
      let first = definition.services.first?.uuid ?? BluetoothUUID(short: 0xfeaa)
      #expect(definition.advertisement.services.first == first)
      let received = DeviceBench(definition).device.advertisement()
      #expect(received.name == definition.name)
      #expect(abs(received.rssi - definition.advertisement.rssi) <= 4)
    }
  }

  @Test("the thermometer's temperature can be read and is near 36.6 °C")
  func temperature() throws {
    let bench = DeviceBench(try definition("thermometer.yaml"))
    let handle = try bench.handle("temperature-measurement")
    var found: [Double] = []
    for second in stride(from: 0, through: 58, by: 2) {
      try bench.run(to: second * 1000)
      let value = try decoded(0x2a1c, bench.read(handle))
      #expect(value["type"] == .text("armpit"))
      found.append(try #require(value["celsius"]?.number))
    }
    #expect(found.allSatisfy { (36.4...36.8).contains($0) })
    #expect(Set(found).count >= 4)
  }

  @Test("the thermometer indicates every 2 s, and notifies every 500 ms")
  func indications() throws {
    let bench = DeviceBench(try definition("thermometer.yaml"))
    let slow = try bench.handle("temperature-measurement")
    let fast = try bench.handle("intermediate-temperature")
    #expect(bench.device.subscribe(slow, .notification).error == .cccImproperlyConfigured)
    try bench.subscribe(slow, .indication)
    try bench.subscribe(fast)
    try bench.run(to: 4100)
    #expect(bench.sent(on: slow).map(\.at) == [2000, 4000])
    #expect(bench.sent(on: fast).count == 8)
    for sent in bench.sent(on: fast) {
      let celsius = try #require(decoded(0x2a1e, sent.value)["celsius"]?.number)
      #expect((36.4...36.8).contains(celsius))
    }
  }

  @Test("the thermometer has an alarm, a battery and a manufacturer name")
  func thermometer() throws {
    let bench = DeviceBench(try definition("thermometer.yaml"))
    let alert = try bench.handle("alert-level")
    try bench.write(alert, [2])
    let long = bench.device.write(alert, [1, 1], withResponse: true)
    #expect(long.error == .invalidAttributeValueLength)
    #expect(try bench.read(alert) == [2])
    #expect(try bench.read(bench.handle("battery-level")) == [87])
    #expect(try bench.read(bench.handle("temperature-type")) == [1])
    #expect(try bench.read(bench.handle("manufacturer-name-string")) == Array("ACME".utf8))
    #expect(try bench.read(bench.handle("device-name")) == Array("Thermo-1".utf8))
    #expect(try bench.read(bench.handle("appearance")) == [0x00, 0x03])
  }

  @Test("the heart rate is between 62 and 88 beats a minute, with matching RR intervals")
  func heartRate() throws {
    let bench = DeviceBench(try definition("heart-rate.yaml"))
    let handle = try bench.handle("heart-rate-measurement")
    #expect(bench.device.read(handle) == .failure(.readNotPermitted))
    try bench.subscribe(handle)
    try bench.run(to: 20_500)
    let all = bench.sent(on: handle)
    #expect(all.map(\.at) == (1...20).map { $0 * 1000 })
    var rates: [Double] = []
    for sent in all {
      let value = try decoded(0x2a37, sent.value)
      #expect(value["contact"] == .boolean(true))
      let rate = try #require(value["bpm"]?.number)
      guard case .list(let intervals) = value["rr-intervals"], intervals.count == 1 else {
        Issue.record("one interval expected, not \(value)")
        return
      }
      let interval = try #require(intervals.first?.number)
      #expect(abs(60 / interval - rate) < 0.6)
      rates.append(rate)
    }
    #expect(rates.min() == 62 && rates.max() == 88)
  }

  @Test("the heart rate monitor reports the chest as its location, and accepts one command")
  func chest() throws {
    let bench = DeviceBench(try definition("heart-rate.yaml"))
    let location = try bench.read(bench.handle("body-sensor-location"))
    #expect(try decoded(0x2a38, location) == .text("chest"))
    let control = try bench.handle("heart-rate-control-point")
    try bench.write(control, [1])
    #expect(bench.device.write(control, [2], withResponse: true).error?.rawValue == 0x80)
  }

  @Test("the battery loses a percent every 10 s, and recharges when it is empty")
  func battery() throws {
    let bench = DeviceBench(try definition("battery.yaml"))
    let handle = try bench.handle("battery-level")
    #expect(try bench.read(handle) == [100])
    try bench.run(to: 15_000)
    #expect(try bench.read(handle) == [99])
    try bench.subscribe(handle)
    try bench.run(to: 36_000)
    #expect(bench.sent(on: handle) == [Sent(25_000, [98]), Sent(35_000, [97])])
    try bench.run(to: 1_005_000)
    #expect(try bench.read(handle) == [0])
    try bench.run(to: 1_015_000)
    #expect(try bench.read(handle) == [100])
  }

  @Test("the echo is read back and notified")
  func echo() throws {
    let bench = DeviceBench(try definition("echo.yaml"))
    let uuid = try #require(BluetoothUUID("6e5d0002-1b1a-4e1c-8f6b-0b6c1d2e3f40"))
    let handle = try bench.handle(uuid)
    try bench.subscribe(handle)
    try bench.write(handle, [1, 2, 3])
    #expect(try bench.read(handle) == [1, 2, 3])
    try bench.device.write(handle, [4], withResponse: false).get()
    try bench.run(to: 1)
    #expect(bench.sent(on: handle) == [Sent(0, [1, 2, 3]), Sent(0, [4])])
    #expect(
      bench.device.advertisement().manufacturerData == [
        ManufacturerData(company: 0xffff, octets: Array("ECHO".utf8))
      ]
    )
  }

  @Test("the echo answers commands on another characteristic")
  func commands() throws {
    let bench = DeviceBench(try definition("echo.yaml"))
    let command = try bench.handle(#require(BluetoothUUID("6e5d0003-1b1a-4e1c-8f6b-0b6c1d2e3f40")))
    let answer = try bench.handle(#require(BluetoothUUID("6e5d0004-1b1a-4e1c-8f6b-0b6c1d2e3f40")))
    try bench.subscribe(answer)
    try bench.write(command, [1])
    try bench.run(to: 200)
    try bench.write(command, [2, 7])
    try bench.run(to: 400)
    #expect(
      bench.sent(on: answer) == [
        Sent(50, Array("one".utf8)), Sent(250, Array("first".utf8)), Sent(300, [2, 7]),
      ]
    )
    #expect(bench.device.write(command, [3], withResponse: true).error == .valueNotAllowed)
  }
}
