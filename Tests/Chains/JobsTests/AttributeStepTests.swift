// The steps about attributes, in files, on one line, and as they run.

import Bluetooth
import Documents
import Signals
import Testing

@testable import Jobs

@Suite("Steps about attributes")
struct AttributeStepTests {
  let bench = RunBench()

  private static let lines = [
    "mtu as link expect value >= 100 within 5s", "services",
    "services offers battery offers battery/battery-level:read,notify lacks heart-rate",
    "read battery-level offset 2 as tail",
    "read battery-level offset 2 format u8",
    "read-descriptor battery-level/characteristic-user-description as name",
    "write-descriptor battery-level/valid-range u8:1 u8:2",
    "notify battery-level until 2x delivery acquire on-link-loss resume",
    "notify battery-level for 5s buffer 10 overflow drop-oldest",
    "write alert-level u8:1 u8:2 reliable offset 3 within 5s",
  ]

  @Test("a step prints the line that it was parsed from", arguments: lines)
  func oneLine(line: String) throws {
    let step = try #require(try Plan.parse(line: line).steps.first)
    #expect(step.description == line)
    #expect(try Plan.parse(line: step.description).steps == [step])
  }

  @Test("the file form parses to the same step as the line")
  func file() throws {
    let plan = try Plan.parse(
      """
      steps:
        - { mtu: , as: link, expect: { value: { min: 100 } }, timeout: 5s }
        - services
        - services:
          offers: [battery, "180f/2a19:notify,read"]
          lacks: heart-rate
        - { read: battery-level, offset: 2, as: tail }
        - { read: battery-level, offset: 2, format: u8 }
        - { read-descriptor: battery-level/2901, as: name }
        - { write-descriptor: battery-level/2906, value: [ { u8: 1 }, { u8: 2 } ] }
        - notify: battery-level
          until: { count: 2 }
          delivery: acquire
          on-link-loss: resume
        - { notify: battery-level, for: 5s, buffer: 10, overflow: drop-oldest }
        - write: alert-level
          value: [ { u8: 1 }, { u8: 2 } ]
          kind: reliable
          offset: 3
          timeout: 5s
      """,
      file: "chain.yaml"
    )
    #expect(plan.steps.map(\.description) == Self.lines)
  }

  @Test("each step runs its operation, captures its value, and checks it")
  func running() throws {
    bench.device.answer("mtu", .value([185]))
    bench.device.answer("read-descriptor battery-level/valid-range", .value([1, 99]))
    let name = "battery-level/characteristic-user-description"
    bench.device.answer("read-descriptor \(name)", .value(Array("main".utf8)))
    let failure = try bench.run(
      """
      mtu as link expect value = 185
      log "{link}"
      read-descriptor \(name) as name
      log "{name}"
      read-descriptor battery-level/valid-range format u16
      write-descriptor battery-level/valid-range u8:1
      read battery-level offset 1 format u8 expect value = 72
      """
    )
    #expect(failure == nil)
    #expect(bench.endings[1].outcome == .mtu(185))
    #expect(bench.endings[2].outcome == .logged("185"))
    #expect(bench.endings[4].outcome == .logged("main"))
    #expect(
      bench.endings[5].outcome == .value(StepValue(octets: [1, 99], decoded: .integer(25345)))
    )
    #expect(bench.endings[6].outcome == .written([1]))
    #expect(
      bench.device.calls.dropFirst().prefix(5) == [
        "mtu", "read-descriptor \(name)", "read-descriptor battery-level/valid-range",
        "write-descriptor battery-level/valid-range 01", "read battery-level from 1",
      ]
    )
  }

  @Test(
    "a descriptor defined by the specification is decoded, and its fields can be checked",
    arguments: [
      (
        "cpf/2904 expect exponent = -2", "0efe2f27010000",
        "format i16, exponent -2, unit °C, namespace Bluetooth SIG, description 0"
      ),
      ("cpf/2906 expect upper = 701c", "60f0701c", "lower 60f0, upper 701c"),
      ("cpf/2909 expect digitals = 8", "08", "digitals 8"),
      ("cpf/2908 expect type = input", "0401", "report 4, type input"),
      ("cpf/2902 expect value = notifications", "0100", "notifications"),
    ]
  )
  func descriptor(line: String, hex: String, text: String) throws {
    let line = line.replacing("cpf", with: "battery-level")
    let octets = try #require(ValueFormat("hex")).encode(hex)
    let step = try #require(try Plan.parse(line: "read-descriptor \(line)").steps.first)
    guard case .readDescriptor(let reading) = step.action else {
      Issue.record("\(step)")
      return
    }
    bench.device.answer("read-descriptor \(reading.target)", .value(octets))
    #expect(try bench.run("read-descriptor \(line)") == nil)
    let value = StepValue(
      octets: octets, decoded: try StepValue.decode(octets, of: reading.target.uuid, format: nil))
    #expect(bench.endings[1].outcome == .value(value))
    #expect(value.decoded?.description == text)
  }

  @Test("a field that a descriptor does not have is reported before the run")
  func unknownField() {
    #expect(throws: (any Error).self) {
      try Plan.parse(line: "read-descriptor battery-level/2904 expect power = -2")
    }
    #expect(throws: (any Error).self) {
      try Plan.parse(line: "read-descriptor @0x0014 expect exponent = -2")
    }
  }

  @Test("an unexpected MTU fails the step")
  func expectation() throws {
    bench.device.answer("mtu", .value([23]))
    #expect(try bench.run("mtu expect value > 100") != nil)
    #expect(bench.ending?.failure?.code == .expectationNotMet)
  }

  @Test("subscription options are passed on, and gaps are reported but not counted as values")
  func gaps() throws {
    // In the script, an empty value stands for a gap.
    bench.device.notify(
      "battery-level", [(.seconds(1), [1]), (.seconds(1), []), (.seconds(1), [2])]
    )
    let line = "notify battery-level until 2x on-link-loss resume buffer 5 overflow drop-newest"
    #expect(try bench.run(line) == nil)
    #expect(bench.device.calls[1] == "subscribe battery-level resume drop-newest 5")
    #expect(
      bench.story.dropFirst(4).prefix(4) == ["1 1 %", "1 gap linkLost", "1 2 %", "1 notify ok"]
    )
    #expect(bench.endings[1].outcome == .listened(count: 2, rate: 2.0 / 3))
    let gap = try #require(bench.json().first { $0.contains(#""event":"gap""#) })
    #expect(gap.hasSuffix(#""cause":"link-lost","lasted":0.000000,"dropped":0}"#))
    #expect(bench.text().contains { $0.contains("(gap: the link was lost") })
  }

  @Test("a step that receives no value after a reconnect ends with a warning")
  func silentSinceLoss() throws {
    bench.device.notify("battery-level", [(.seconds(1), [1]), (.seconds(1), [])])
    #expect(try bench.run("notify battery-level for 5s on-link-loss resume") == nil)
    #expect(bench.ending?.status == .ok && bench.ending?.warnings == 1)
    #expect(bench.endings[1].status == .warning)
    #expect(
      bench.endings[1].failure?.why == "the link was lost 1 time, and no value came after that"
    )
    bench.device.notify(
      "battery-level", [(.seconds(1), [1]), (.seconds(1), []), (.seconds(1), [2])]
    )
    #expect(try bench.run("notify battery-level for 5s on-link-loss resume") == nil)
    #expect(bench.ending?.warnings == 0)
  }

  private static let battery = GATTService(
    uuid: BluetoothUUID(short: 0x180f), handle: 10, isPrimary: true, includes: [],
    characteristics: [
      GATTCharacteristic(
        uuid: BluetoothUUID(short: 0x2a19), handle: 12, properties: [.read], mtu: 23,
        descriptors: [GATTDescriptor(uuid: BluetoothUUID(short: 0x2901), handle: 13)]
      )
    ]
  )

  @Test("a path without an instance number matches every attribute with that UUID")
  func equal() throws {
    let writable = GATTService(
      uuid: BluetoothUUID(short: 0x180f), handle: 20, isPrimary: true, includes: [],
      characteristics: [
        GATTCharacteristic(
          uuid: BluetoothUUID(short: 0x2a19), handle: 22, properties: [.write], mtu: 23,
          descriptors: []
        )
      ]
    )
    let (both, level) = ([Self.battery, writable], "battery/battery-level")
    func step(_ text: String) throws -> [OfferedAttribute] { [try OfferedAttribute(parsing: text)] }
    for text in ["\(level):write", "\(level):read", "\(level)#1:write"] {
      try ServicesStep(offers: step(text)).check(both)
      #expect(throws: ExpectationFailure.self) { try ServicesStep(lacks: step(text)).check(both) }
    }
    try ServicesStep(lacks: step("\(level)#0:write")).check(both)
  }

  @Test("services are listed with their characteristics and descriptors")
  func services() {
    let text = JSONValue(Self.battery, .assigned).text
    #expect(text.hasPrefix(#"{"uuid":"0000180f-0000-1000-8000-00805f9b34fb","name":"battery""#))
    #expect(text.contains(#""flags":["read"],"descriptors":[{"uuid":"00002901-"#))
  }

  @Test(
    "the services step fails if a required attribute is missing or a forbidden one is present",
    arguments: [
      ("offers battery offers battery/battery-level:read offers battery/2a19/2901", nil),
      ("offers battery/battery-level:read,notify", "battery/battery-level:read,notify, got read"),
      ("offers heart-rate", "heart-rate, got no such attribute"),
      ("offers battery/2a19#1", "battery/battery-level#1, got no such attribute"),
      ("offers battery/2a19/2902", "no such attribute"),
      ("lacks heart-rate lacks battery/2a19:notify,write lacks battery/2a19/2902", nil),
      ("lacks battery", "no battery, got one"),
      ("lacks generic-access", "no generic-access, got nothing: bluetoothd hides Generic Access"),
      ("lacks battery/2a19:read,write", "no battery/battery-level:read,write, got read"),
    ]
  )
  func offers(words: String, failure: String?) throws {
    let step = try #require(try Plan.parse(line: "services \(words)").steps.first)
    guard case .services(let services) = step.action else {
      Issue.record("\(step)")
      return
    }
    let found = Result { () throws(ExpectationFailure) in try services.check([Self.battery]) }
    switch (found, failure) {
    case (.success, nil): break
    case (.failure(let found), let failure?): #expect("\(found)".hasSuffix(failure))
    case (.success, .some), (.failure, nil): Issue.record("\(found)")
    }
  }
}
