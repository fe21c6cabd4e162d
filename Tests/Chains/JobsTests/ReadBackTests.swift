// Runs read back from their JSON lines, as a resumed batch and a fleet read them.

import Bluetooth
import Documents
import Testing

@testable import Jobs

@Suite("Runs read back from their lines")
struct ReadBackTests {
  private let bench = RunBench()

  /// The page of a run on two devices, whose values are in one table.
  private func page(of events: [RunEvent]) -> String {
    let run = RunCollector.runs(of: events, keepsValues: true)[0]
    return HTMLReport().text(on: [run, run], of: nil)
  }

  /// The events that the lines of the run have.
  private func readBack() throws -> [RunEvent] {
    var reader = EventLines()
    return try bench.json().compactMap { try reader.event(in: $0) }
  }

  @Test("a page made from the lines of a run is that of the run, with all units and decimals")
  func values() throws {
    bench.device.answer("rssi", .value([UInt8(bitPattern: -50), 4]))
    bench.device.answer("read ff01", .value([0, 0, 0, 0x3f]))
    let record: [UInt8] = [7, 0, 0xa0, 0x0f, 1]
    bench.device.answer("read record", .value(record))
    bench.device.notify("record", [(.seconds(1), record), (.seconds(1), record)])
    try bench.run(
      file: """
        names:
          record:
            uuid: 0000a001-1212-efde-1523-785feabcd123
            fields:
              - { sequence: u16 }
              - { moisture: u16, scale: 0.01, unit: "%" }
              - { flags: u8, bits: { tamper: 1 } }
        steps:
          - read: battery-level
          - read: record
          - { read: ff01, format: f32 }
          - { notify: record, until: { count: 2 } }
          - rssi
          - rssi:
            every: 1s
            until: { count: 3 }
          - connection-parameters
          - mtu
        """
    )
    #expect(bench.ending?.status == .ok, "\(bench.text())")
    let page = page(of: bench.events)
    for text in ["moisture 40.00 %", "0.500", "-50 dBm, 4 dBm TX power", "30.00 ms, latency 0"] {
      #expect(page.contains(text), "\(text)")
    }
    let read = try readBack()
    #expect(self.page(of: read) == page)
    #expect(read.flatMap { JSONLinesReport().lines(for: $0) } == bench.json())
  }

  @Test("the results of services, exchanges and polls are those of the run")
  func outcomes() throws {
    bench.device.offered = [0x180f, 0xff00].map { number in
      GATTService(
        uuid: BluetoothUUID(short: number), handle: 10, isPrimary: true, includes: [],
        characteristics: []
      )
    }
    bench.device.notify("battery-level", [(.seconds(1), [72])])
    try bench.run(
      file: """
        steps:
          - services
          - { exchange: alert-level, value: { u8: 1 }, answer: battery-level }
          - { poll: battery-level, every: 1s, until: { count: 2 } }
        """
    )
    #expect(bench.ending?.status == .ok, "\(bench.text())")
    let texts = [bench.events, try readBack()].map { events in
      RunCollector.runs(of: events)[0].steps.map { $0.outcome.map { TextReport.text($0) } }
    }
    #expect(texts[0] == texts[1])
    #expect(texts[0].contains("2 services: battery, ff00"), "\(texts[0])")
  }

  static let presentations: [(DecodedValue, String?)] = [
    (.integer(7), nil), (.real(36.6, decimals: 1), nil), (.text("unknown"), nil),
    (.real(30, decimals: 2), #"{"decimals":2}"#), (.real(2.25, decimals: 0), #"{"decimals":0}"#),
    (.real(.nan, decimals: 1), #"{"number":"nan"}"#),
    (.real(-.infinity, decimals: 1), #"{"number":"-inf"}"#),
    (.list([.integer(1), .integer(2)]), nil),
    (
      .fields([
        .init("rssi", .integer(-50), unit: "dBm"),
        .init("txPower", .integer(4), unit: "dBm", qualifier: "TX power"),
      ]),
      #"{"rssi":{"unit":"dBm"},"txPower":{"unit":"dBm","qualifier":"TX power"}}"#
    ),
    (
      .fields([
        .init("cells", .list([.real(3.7, decimals: 3), .integer(4)]), unit: "V"),
        .init("unit", .fields([.init("unit", .integer(1), unit: "s"), .init("text", .text("x"))])),
        .init("plain", .fields([.init("unit", .text("m"))])),
      ]),
      #"{"cells":{"unit":"V","items":[{"decimals":3},null]},"unit":{"unit":{"unit":"s"}}}"#
    ),
  ]

  @Test("a value without bytes has its units and decimals beside it", arguments: Self.presentations)
  func presentation(value: DecodedValue, json: String?) throws {
    let step = try #require(try Plan.parse(line: "rssi").placedSteps.last).reported
    let members = StepValue(octets: [], decoded: value).members(of: step)
    let written = try JSONValue(parsing: JSONValue.object(members).text)
    #expect(written["presentation"]?.text == json)
    let read = StepValue(recorded: written)
    #expect(read.members(of: step) == members)
    #expect(read.decoded?.description == value.description)
  }

  @Test("a value that its specification describes has no presentation; a part of it has one")
  func specified() throws {
    let step = try #require(try Plan.parse(line: "read battery-level").placedSteps.last).reported
    let whole = try StepValue.decode([72], of: "battery-level", format: nil)
    let part = DecodedValue.fields([.init("share", .integer(72), unit: "%")])
    let found: [String] = [whole, part].map { decoded in
      JSONValue.object(StepValue(octets: [72], decoded: decoded).members(of: step)).text
    }
    #expect(
      found == [
        #"{"value":{"percent":72},"hex":"48"}"#,
        #"{"value":{"share":72},"hex":"48","presentation":{"share":{"unit":"%"}}}"#,
      ]
    )
  }
}
