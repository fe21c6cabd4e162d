// Characteristics with the same UUID, distinguished wherever a device file names one.

import Bluetooth
import Signals
import Testing

@testable import SimulatedDevices

@Suite("References to characteristics")
struct ReferenceTests {
  /// Two sensors with the same characteristics; the second service has two of one kind.
  static let head = """
    services:
    - service: 1810
      characteristics:
      - { characteristic: 2a6e, properties: [read, write, notify], value: { u8: 1 } }
    - service: 1809
      characteristics:
      - { characteristic: 2a6e, properties: [read, write, notify], value: { u8: 2 } }
      - { characteristic: 2a6e, properties: [read, write, notify], value: { u8: 3 } }

    """

  func device(_ keys: String) throws -> DeviceDefinition {
    try DeviceText.device(Self.head + keys)
  }

  /// The handles of the three, then of what stands behind them.
  func handles(_ bench: DeviceBench) -> [UInt16] {
    bench.device.table.services.dropFirst(2).flatMap(\.characteristics).map(\.handle)
  }

  @Test("a name in a value refers to the characteristic given by service, instance or handle")
  func views() throws {
    for (name, expected) in [
      ("1810/2a6e", 1), ("1809/2a6e#0", 2), ("1809/2a6e#1", 3), ("2a6e#0", 1), ("2a6e#2", 3),
      ("health-thermometer/temperature#1", 3), ("'@0x000c'", 1),
    ] {
      let own = """
        advertisement:
          with: { x: { of: \(name), as: u8 }, all: \(name) }
          manufacturer-data: { 0xffff: [{ octets: $all }, { u8: $x * 10 }] }
        """
      let advertised = DeviceBench(try device(own)).device.advertisement().manufacturerData
      #expect(advertised.map(\.octets) == [[UInt8(expected), UInt8(expected * 10)]], "\(name)")
    }
  }

  @Test("responses act on the named characteristic")
  func responses() throws {
    let own = """
      - service: fff0
        characteristics:
        - characteristic: fff1
          properties: [write]
          responses: [{ then: { set: written, on: 1809/2a6e#1 } }]
      """
    let bench = DeviceBench(try device(own))
    let all = handles(bench)
    try bench.device.write(all[3], [9], withResponse: true).get()
    #expect(try all.prefix(3).map { try bench.device.read($0).get() } == [[1], [2], [9]])
  }

  @Test("machines wait for, and act on, the named characteristic")
  func machines() throws {
    let own = """
      machines:
      - machine: m
        states:
          idle:
            on:
            - { write: 1809/2a6e#0, do: { set: { u8: 7 }, on: 1809/2a6e#1 } }
            - { write: 1810/2a6e, refuse: value-not-allowed }
      """
    let bench = DeviceBench(try device(own))
    let all = handles(bench)
    #expect(throws: ATTErrorCode.self) {
      try bench.device.write(all[0], [5], withResponse: true).get()
    }
    try bench.device.write(all[1], [5], withResponse: true).get()
    try bench.device.write(all[2], [6], withResponse: true).get()
    #expect(try all.prefix(3).map { try bench.device.read($0).get() } == [[1], [5], [6]])
    try bench.device.write(all[1], [5], withResponse: true).get()
    #expect(try bench.device.read(all[2]).get() == [7])
  }

  @Test("a fault hits the named characteristic, those of a service, or all with the UUID")
  func faults() throws {
    for (name, expected) in [
      ("2a6e", [true, true, true]), ("1809/2a6e", [false, true, true]),
      ("1809/2a6e#1", [false, false, true]), ("1810/2a6e", [true, false, false]),
    ] {
      let bench = DeviceBench(
        try device("faults: [{ on: read, characteristic: \(name), do: refuse 0x0e }]")
      )
      let hit = handles(bench).map { handle in
        bench.device.nextFault(.read(BluetoothUUID(short: 0x2a6e), handle: handle)) != .none
      }
      #expect(hit == expected, "\(name)")
    }
  }

  @Test(
    "an ambiguous, unknown or invalid name is reported with its place",
    arguments: [
      (
        "2a6e",
        "'2a6e' is 3 characteristics (expected one of 1810/temperature, "
          + "health-thermometer/temperature#0, health-thermometer/temperature#1)"
      ),
      ("1809/2a6e", "is 2 characteristics (expected one of health-thermometer/temperature#0"),
      ("1809/2a6e#2", "the device has no characteristic '1809/2a6e#2'"),
      ("1809/tempersture#0", "unknown characteristic 'tempersture'"),
      ("healt-thermometer/2a6e#0", "unknown service 'healt-thermometer'"),
      ("temperature#x", "expected an instance number after #"),
      ("battery-levle", "did you mean 'battery-level'?"),
      ("'@0x0fff'", "the device has no characteristic '@0x0fff'"),
    ]
  )
  func complaints(_ name: String, _ expected: String) {
    let own = """
      advertisement:
        with:
          x: \(name)
      """
    let found = DeviceText.complaints(Self.head + own)
    let all = found.map { $0.replacing("blood-pressure", with: "1810") }
    #expect(all.count == 1 && all[0].hasPrefix("device.yaml:12:"), "\(all)")
    #expect(all.first?.contains(expected) == true, "\(all)")
  }
}
