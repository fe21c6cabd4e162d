// Advertisements, strengths, addresses, links and included services of device files.

import Bluetooth
import Documents
import Signals
import Testing

@testable import SimulatedDevices

@Suite("Device model")
struct DeviceModelTests {
  @Test("a device can have several advertisements, each with its own contents and interval")
  func advertisements() throws {
    let device = try DeviceText.device(
      """
      name: Beacon
      advertisements:
        - { services: [battery], interval: 1s, rssi: -50, rssi-spread: 0 }
        - { name: false, service-data: { feaa: "20 00" }, interval: 500ms, connectable: false }
      """
    )
    #expect(device.advertisements.map(\.interval) == [.seconds(1), .milliseconds(500)])
    #expect(device.isConnectable)
    let bench = DeviceBench(device)
    #expect(bench.device.advertisement(0).name == "Beacon")
    #expect(bench.device.advertisement(1).name == nil)
    #expect(bench.device.advertisement(1).serviceData.map(\.octets) == [[0x20, 0]])
    #expect(bench.device.linkRSSI() == -50)
  }

  @Test("advertised data follows values and the time")
  func live() throws {
    let device = try DeviceText.device(
      """
      advertisement:
        interval: 100ms
        with: { level: { of: battery-level, as: u8 } }
        manufacturer-data: { 0xffff: [{ hex: "0a" }, { u8: $level }] }
        service-data: { feaa: [{ u32be: $sent }, { u32be: $uptime / 100 }] }
      services:
      - service: battery
        characteristics:
        - { characteristic: battery-level, properties: [read, write], value: { u8: 87 } }
      """
    )
    let bench = DeviceBench(device)
    #expect(bench.device.advertisement().manufacturerData.map(\.octets) == [[0x0a, 87]])
    try bench.write(try bench.handle("battery-level"), [50])
    try bench.run(to: 2350)
    #expect(bench.device.advertisement().manufacturerData.map(\.octets) == [[0x0a, 50]])
    #expect(bench.device.advertisement().serviceData.map(\.octets) == [[0, 0, 0, 23, 0, 0, 0, 23]])
  }

  @Test("advertised data follows the variables of machines, also in a changed advertisement")
  func variables() throws {
    let device = try DeviceText.device(
      """
      advertisement:
        manufacturer-data: { 0xffff: [{ u8: "$x & 0x0f | 0x30" }, { octets: $rest }] }
      services:
      - service: fff0
        characteristics:
        - { characteristic: fff1, properties: [write] }
      machines:
      - machine: first
        variables: { x: 1 }
        states: { s: { on: [{ write: fff1, when-like: "<v> *", do: { let: { x: $v } } }] } }
      - machine: second
        variables: { rest: { hex: "" } }
        states: { s: { on: [{ write: fff1, when-like: "?? <all:*>", do: { let: { rest: $all } } }] } }
      """
    )
    let bench = DeviceBench(device)
    #expect(bench.device.advertisement().manufacturerData.map(\.octets) == [[0x31]])
    try bench.write(try bench.handle("fff1"), [0x42, 7, 8])
    #expect(bench.device.advertisement().manufacturerData.map(\.octets) == [[0x32, 7, 8]])
    let changed = try DeviceFile.parseAdvertisement(
      "service-data: { fff0: { u16: $x * 2 } }", changing: device.advertisements[0], of: device
    )
    #expect(changed.advertisement.templates.count == 2)
  }

  @Test("a path moves the RSSI linearly from point to point, and then stays or repeats")
  func path() throws {
    let text = "[{ at: 0s, rssi: -50 }, { at: 10s, rssi: -90 }, { at: 12s, rssi: -70 }]"
    for (repeats, expected) in [
      (false, [-50, -70, -90, -80, -70, -70, -70]), (true, [-50, -70, -90, -80, -50, -62, -70]),
    ] {
      let device = try DeviceText.device(
        "advertisement: { rssi: { path: \(text), repeats: \(repeats) }, rssi-spread: 0 }"
      )
      let bench = DeviceBench(device)
      var found: [Int] = []
      for time in [0, 5, 10, 11, 12, 15, 17] {
        try bench.run(to: time * 1000)
        found.append(bench.device.advertisement().rssi)
        #expect(bench.device.linkRSSI() == found.last)
      }
      #expect(found == expected)
    }
  }

  @Test("a private address lasts its period, is drawn from the seed, and has its type's bits")
  func privateAddress() throws {
    for (kind, bits) in [("resolvable", UInt64(1)), ("non-resolvable", 0)] {
      let device = try DeviceText.device("private-address: { kind: \(kind), every: 15m }")
      let (bench, other) = (DeviceBench(device), DeviceBench(device, seed: 1))
      let first = bench.device.airAddress()
      #expect(first.address.number >> 46 == bits && first.type == .random)
      #expect(other.device.airAddress().address != first.address)
      try bench.run(to: 899_999)
      #expect(bench.device.airAddress().address == first.address)
      try bench.run(to: 900_000)
      #expect(bench.device.airAddress().address != first.address)
      #expect(DeviceBench(device).device.airAddress().address == first.address)
    }
  }

  @Test("a spread varies the duration of each operation")
  func latency() throws {
    let bench = DeviceBench(try DeviceText.device("link: { latency: 20ms, latency-spread: 30ms }"))
    let all = (0..<50).map { _ in bench.device.latency() }
    #expect(all.allSatisfy { (.milliseconds(20)..<(.milliseconds(50))).contains($0) })
    #expect(Set(all).count > 40)
    #expect(all.contains { $0 > .milliseconds(40) })
  }

  @Test("an included service refers to another service, and its declaration takes a handle")
  func includes() throws {
    let device = try DeviceText.device(
      """
      services:
      - service: fff0
        includes: [battery, fff8]
        characteristics: [{ characteristic: fff1, properties: read }]
      - { service: battery }
      - { service: fff8 }
      """
    )
    let services = AttributeTable(device).services.suffix(3)
    #expect(services.map(\.handle) == [10, 15, 16])
    #expect(services.first?.characteristics.first?.handle == 14)
    #expect(services.map(\.includes) == [[15, 16], [], []])
  }

  /// So many bytes in pairs of digits.
  private static func bytes(_ count: Int) -> String { String(repeating: "01", count: count) }

  @Test(
    "an advertisement is valid if it fits into an advertisement and a scan response of 31 bytes",
    arguments: [
      // 3 for the flags, 28 for the data; 31 for other data.
      (bytes(24), bytes(27), true), (bytes(27), bytes(24), true), (bytes(25), bytes(27), false),
      // No part is longer than a packet, whatever is free in the other.
      (bytes(0), bytes(28), false), (bytes(27), bytes(0), true),
    ]
  )
  func legacy(one: String, other: String, isPossible: Bool) {
    let data = "{ 0x0001: \"\(one)\", 0x0002: \"\(other)\" }"
    let found = DeviceText.complaints("advertisement: { manufacturer-data: \(data) }")
    #expect(found.isEmpty == isPossible, "\(found)")
    let extended = "advertisement: { extended: true, manufacturer-data: \(data) }"
    #expect(DeviceText.complaints(extended) == [])
  }

  @Test("the error lists the bytes of each part; service lists can be split between the packets")
  func parts() {
    let uuid = "6c610001-1b1a-4e1c-8f6b-0b6c1d2e3f4"
    let found = DeviceText.complaints(
      """
      name: Lamp
      appearance: 0x0341
      advertisement:
        services: [battery, \(uuid)0, \(uuid)1]
        service-data: { battery: "57", \(uuid)0: [{ u16: $sent }] }
        tx-power: 4
      """
    )
    #expect(
      found == [
        "device.yaml:5:3: advertisement: the advertisement takes 79 bytes: flags 3, name 6, "
          + "appearance 4, services 4, services of 16 bytes 34, service-data 180f 5, "
          + "service-data \(uuid)0 20, tx-power 3 (expected at most 31 in the advertisement and 31 in the "
          + "scan response, or 'extended: true')"
      ]
    )
    let services = "services: [battery, \(uuid)0, \(uuid)1], tx-power: 4"
    #expect(DeviceText.complaints("advertisement: { \(services) }") == [])
  }

  @Test("the longest name of copies and a changed advertisement have the same size limits")
  func impossible() throws {
    let name = String(repeating: "n", count: 28)
    #expect(DeviceText.complaints("name: \(name)") == [])
    let found = DeviceText.complaints("name: \(name)\ncount: 10")
    #expect(found.count == 1 && found[0].contains("takes 36 bytes: flags 3, name 33"), "\(found)")
    let device = try DeviceText.device("name: Lamp")
    let change = "manufacturer-data: { 0x0001: \"\(Self.bytes(28))\" }"
    #expect(throws: Problem.self) {
      try DeviceFile.parseAdvertisement(change, changing: device.advertisement, of: device)
    }
  }

  @Test("an extended advertisement has size limits too")
  func extended() {
    let long = "advertisement: { extended: true, manufacturer-data: "
    #expect(DeviceText.complaints(long + "{ 1: \"\(Self.bytes(252))\" } }") == [])
    let found = DeviceText.complaints(long + "{ 1: \"\(Self.bytes(253))\" } }")
    #expect(
      found.count == 1 && found[0].contains("expected at most 1650, and 256 each"), "\(found)")
  }

  @Test(
    "errors in a device are reported",
    arguments: [
      ("advertisements: []", "at least one advertisement"),
      ("advertisement: {}\nadvertisements: [{}]", "exclude each other"),
      ("advertisement: { name: maybe }", "expected true or false"),
      ("advertisement: { rssi: loud }", "or { walk: { low: -90, high: -50 } }"),
      ("advertisement: { rssi: { pth: [] } }", "unknown key 'pth' (did you mean 'path'?)"),
      ("advertisement: { rssi: { repeats: true } }", "the key 'path' is missing"),
      ("advertisement: { rssi: { path: [] } }", "at least one point"),
      ("advertisement: { rssi: { path: [{ at: 1s, rssi: -50 }] } }", "a first point at 0s"),
      ("advertisement: { rssi: { path: [{ at: 0s }] } }", "the key 'rssi' is missing"),
      (
        "advertisement: { rssi: { path: [{ at: 0s, rssi: -5 }, { at: 0s, rssi: -6 }] } }",
        "not later than the point before"
      ),
      ("advertisement: { with: { a-b: { of: device-name } } }", "'a-b' cannot be a name"),
      ("advertisement: { with: { a: { of: device-nam } } }", "did you mean 'device-name'?"),
      ("advertisement: { with: { a: { off: device-name } } }", "the key 'of' is missing"),
      ("advertisement: { with: { a: { of: device-name, as: u9 } } }", "found 'u9'"),
      ("advertisement: { with: { a: { of: device-name, as: u8, count: 1 } } }", "how many bytes"),
      ("advertisement: { with: { a: { of: battery-level } } }", "has no characteristic"),
      (
        "advertisement: { with: { a: device-name }, service-data: { battery: { u8: $a } } }",
        "'$a' is bytes"
      ),
      ("advertisement: { service-data: { battery: { u8: $lvl } } }", "unknown name 'lvl'"),
      ("advertisement: { service-data: { battery: { u8: $uptme } } }", "did you mean 'uptime'?"),
      (
        "advertisement: { service-data: { battery: { u8: $x + 1 } } }\n"
          + "machines: [{ machine: m, variables: { x: { hex: '' } }, states: { s: {} } }]",
        "'$x' is bytes"
      ),
      ("advertisement: { service-data: { battery: { octets: $sent } } }", "'sent' holds a number"),
      ("private-address: { every: 0s }", "expected a duration from 1s to 24h"),
      ("private-address: { kind: secret, every: 1m }", "expected resolvable or non-resolvable"),
      ("private-address: {}", "the key 'every' is missing"),
      ("services: [{ service: fff0, includes: [battery] }]", "no service 'battery'"),
      ("services: [{ service: fff0, includes: [fff0] }]", "includes itself"),
    ]
  )
  func wrong(keys: String, complaint: String) {
    let found = DeviceText.complaints(keys)
    #expect(found.contains { $0.contains(complaint) }, "\(found)")
    #expect(found.allSatisfy { $0.hasPrefix("device.yaml:") })
  }

  @Test(
    "errors in a behaviour are reported",
    arguments: [
      ("noise: { parts: { u8: { low: 1, high: 9 } } }", "the key 'every' is missing"),
      ("noise: { every: 1s }", "the key 'parts' is missing"),
      ("noise: { parts: { u8: 1 }, every: 1s }", "no number with low and high"),
      ("noise: { parts: { u8: { low: 1, high: 9 } }, every: 1s, shape: bel }", "'bell'?"),
      ("responses: [{ when-like: 0x }]", "'0x': invalid byte"),
      ("responses: [{ when-like: [1] }]", "expected a pattern of bytes"),
      ("responses: [{ when: { u8: 1 }, when-like: '01' }]", "'when' and 'when-like' exclude"),
      ("responses: [{ when-like: <size>, then: { set: { u8: $sice } } }]", "did you mean 'size'?"),
      ("responses: [{ when-like: <size>, then: { set: { octets: $size } } }]", "holds a number"),
      ("responses: [{ then: { set: { row: table, at: 0 } } }]", "unknown name 'table'"),
      ("responses: [{ then: { set: { u8: $size.count } } }]", "unknown name 'size'"),
    ]
  )
  func wrongBehaviour(keys: String, complaint: String) {
    let found = DeviceText.complaints(
      ofCharacteristics: "characteristic: fff1, properties: [read, write], \(keys)"
    )
    #expect(found.contains { $0.contains(complaint) }, "\(found)")
    #expect(found.allSatisfy { $0.hasPrefix("device.yaml:") })
  }
}
