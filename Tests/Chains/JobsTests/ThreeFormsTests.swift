// A chain makes one plan, whether it is in a file, on one line or in Swift.

import Bluetooth
import Documents
import Foundation
import Testing

@testable import Jobs

@Suite("Chains in three forms")
struct ThreeFormsTests {
  @Test("the README chain in Swift equals the one in the file")
  func readme() throws {
    let root = ChainSchemaTests.docs.deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let file = try #require(page.components(separatedBy: "```yaml\n").dropFirst().first)
      .components(separatedBy: "```")[0]
    let swift = try Plan("Take a temperature", on: .name("Thermo*"), timeout: .seconds(10)) {
      try Step.read("battery-level")
      try Step.notify("temperature-measurement", count: 3)
        .expect("celsius", .between(10, 40))
    }
    let line = """
      read battery-level; notify temperature-measurement until count 3 expect celsius in 10..40
      """
    #expect(try Plan.parse(file, file: "c") == swift)
    #expect(try Plan.parse(line: line).steps == swift.steps)
  }

  static let file = """
    steps:
    - scan: 2s
    - connect
    - pair: { confirm: true }
    - { trust: false }
    - { rssi: , as: link, timeout: 2s }
    - { rssi: , every: 500ms, for: 3s, until: { rssi: { max: -90 } } }
    - { throughput: , up: ff03, down: ff04, for: 5s, bytes: 9000, sequence: u16 at 4 }
    - mtu
    - connection-parameters
    - services
    - { read: battery-level, as: b, expect: { percent: { in: [72, 73] } } }
    - { read: fff1, offset: 2, format: hex }
    - { read-descriptor: battery-level/2901, as: d }
    - { write-descriptor: battery-level/2902, value: { hex: "0100" } }
    - { write: alert-level, value: [ { u8: "{b.percent}" }, { utf8: "two {{words}" } ], kind: command }
    - { exchange: ff01, value: { hex: "02" }, answer: ff02, where: { u8: 2 }, as: status, format: u8 }
    - notify: heart-rate-measurement
      after: { write: heart-rate-control-point, value: { u8: 1 } }
      until: { count: 5, silence: 2s, bpm: { above: 100 } }
      for: 1m
      expect: { rate: { min: 0.5 }, interval-p95: { max: 2s }, bpm: { mask: [0xf0, 0x30] } }
    - poll: battery-level
      every: 1s
      until: { percent: { max: "{b.percent}" } }
      expect: { percent: { counter: { bits: 8, gaps: 1 } } }
    - combine: [ { notify: 2a37, as: h }, { poll: 2a19, every: 5s, as: p } ]
      for: 10s
      as: both
    - repeat: 2
      index: turn
      steps: [ { sleep: 1s }, { log: "{both.h.bpm} {turn}" } ]
    - when: { b.percent: { not: 1 }, both.p: { like: "7*" } }
      steps: [ { try: [ disconnect ], finally: [ { log: done } ], timeout: 3s } ]
      else: [ { log: no } ]
    - { write: alert-level, value: { u8: 9 }, expect: { error: [refused, value-not-allowed] } }
    - { read: fff1, name: Serial, attempts: 3, backoff: 1s, on-failure: continue }
    - unpair
    """

  static let line = """
    scan for 2s; connect; pair confirm yes; trust no; rssi as link within 2s
    rssi every 500ms until rssi <= -90 for 3s
    throughput up ff03 down ff04 for 5s bytes 9000 sequence "u16 at 4"
    mtu
    connection-parameters; services
    read battery-level as b expect percent in 72,73; read fff1 offset 2 format hex
    read-descriptor battery-level/2901 as d; write-descriptor battery-level/2902 hex:0100
    write alert-level u8:{b.percent} utf8:"two {{words}" command
    exchange ff01 hex:02 answer ff02 where u8 = 2 as status format u8
    notify heart-rate-measurement after { write heart-rate-control-point u8:1 } until 5x \
    until silence 2s until bpm > 100 for 1m \
    expect rate >= 0.5 expect interval-p95 <= 2s expect bpm & 0xf0 = 0x30
    poll battery-level every 1s until percent <= {b.percent} expect percent counts 8 gaps 1
    combine { notify 2a37 as h; poll 2a19 every 5s as p } for 10s as both
    repeat 2 { sleep 1s; log "{both.h.bpm} {turn}" } index turn
    when b.percent != 1 and both.p ~ 7* { try { disconnect } finally { log done } within 3s } \
    else { log no }
    write alert-level u8:9 expect error in refused,value-not-allowed
    read fff1 name Serial attempts 3 backoff 1s on-failure continue
    unpair
    """

  func swift() throws -> Plan {
    let before = try #require(VariablePath("b.percent"))
    return try Plan {
      Step.scan(for: .seconds(2))
      Step.connect
      Step.pair(PairingRule(comparison: .always(true)))
      Step.trust(false)
      Step.rssi.captured(as: "link").within(.seconds(2))
      try Step.rssi(every: .milliseconds(500), for: .seconds(3)).until("rssi", .atMost(-90))
      try Step.throughput(
        up: "ff03", down: "ff04", for: .seconds(5), bytes: 9000, sequence: "u16 at 4"
      )
      Step.mtu
      Step.connectionParameters
      Step.services
      try Step.read("battery-level").captured(as: "b").expect("percent", .oneOf([72, 73]))
      try Step.read("fff1", offset: 2, format: "hex")
      try Step.readDescriptor("battery-level/2901").captured(as: "d")
      try Step.writeDescriptor("battery-level/2902", "hex:0100")
      try Step.write("alert-level", "u8:{b.percent}", "utf8:two {{words}", kind: .command)
      try Step.exchange("ff01", "hex:02", answer: "ff02", format: "u8")
        .answered("u8", .equal(2)).captured(as: "status")
      try Step.notify(
        "heart-rate-measurement", after: Step.write("heart-rate-control-point", "u8:1"), count: 5,
        for: .seconds(60), untilSilent: .seconds(2)
      )
      .until("bpm", .above(100)).expect("rate", .atLeast(0.5))
      .expect("interval-p95", .shorter(than: .seconds(2)))
      .expect("bpm", .masked(0xf0, equal: 0x30))
      try Step.poll("battery-level", every: .seconds(1))
        .until("percent", .captured(.atMost, before))
        .expect("percent", .counts(CounterRule(bits: 8, gaps: 1)))
      Step.combine(
        CombineStep.Input("h", .notify, try CharacteristicSelector(parsing: "2a37")),
        CombineStep.Input(
          "p",
          .poll(every: .seconds(5)),
          try CharacteristicSelector(parsing: "2a19")
        ),
        for: .seconds(10)
      )
      .captured(as: "both")
      try Step.repeated(2, index: "turn") {
        Step.sleep(.seconds(1))
        try Step.log("{both.h.bpm} {turn}")
      }
      Step(
        .when(
          WhenStep(
            Condition([
              .init(before, .notEqual(1)),
              .init(try #require(VariablePath("both.p")), .like("7*")),
            ]),
            [
              try Step.attempt {
                Step.disconnect
              } finally: {
                try Step.log("done")
              }
              .within(.seconds(3))
            ],
            otherwise: [try Step.log("no")]
          )
        )
      )
      try Step.write("alert-level", "u8:9").failing(with: "refused", "value-not-allowed")
      try Step.read("fff1").named("Serial").attempts(3, backoff: .seconds(1)).continuingOnFailure()
      Step.unpair
    }
  }

  @Test("a file, a line and Swift produce the same plan, with every step and option")
  func all() throws {
    let file = try Plan.parse(Self.file, file: "c")
    let line = try Plan.parse(line: Self.line)
    let swift = try swift()
    for (number, steps) in zip(zip(file.steps, line.steps), swift.steps).enumerated() {
      #expect(steps.0.0 == steps.0.1, "step \(number + 1): file and line")
      #expect(steps.0.0 == steps.1, "step \(number + 1): file and Swift")
    }
    #expect(file == line && file == swift)
    #expect(file.description == swift.description)
  }

  @Test("a chain in Swift is validated like one in a file")
  func checks() throws {
    func problem(_ steps: @autoclosure () throws -> [Step]) -> String {
      do {
        _ = try Plan { try steps() }
        return ""
      } catch {
        guard let error = error as? Problem else { return "\(error)" }
        return "\(error.at(nil, path: error.path))"
      }
    }
    #expect(problem([]) == "there are no steps")
    #expect(
      problem([try .log("{x}")])
        == "step 1: no earlier step captures 'x' (expected a step before this one with 'as')"
    )
    #expect(problem([try .notify("2a37")]).hasPrefix("step 1: this step would never end"))
    #expect(
      problem([.repeated(0) { Step.connect }]).hasPrefix(
        "step 1: expected from 1 to 1000000, found 0 times"
      )
    )
    #expect(problem([try .read("2a19").expect("celsius", .above(1))]).contains("no 'celsius'"))
    #expect(problem([try .read("battery-levle")]).contains("battery-level"))
    #expect(problem([try .write("2a06", "u9:1")]).contains("unknown format 'u9'"))
    #expect(problem([try .write("2a06", "u8:1", kind: .command, offset: 2)]).contains("no offset"))
    #expect(problem([Step.rssi.captured(as: "1")]).contains("found '1'"))
    #expect(!problem([try .assert("1x", .equal(1))]).isEmpty)
    var step = Step.connect
    for _ in 0..<20 { step = .repeated(1) { step } }
    #expect(problem([step]) == "steps are nested deeper than 16 levels")
  }

  // MARK: Blocks

  @Test("nesting beyond the limit is rejected")
  func depth() {
    for count in [17, 64, 100_000] {
      let line =
        String(repeating: "repeat 1 { ", count: count) + "rssi"
        + String(repeating: " }", count: count)
      #expect(throws: (any Error).self) { try Plan.parse(line: line) }
    }
  }
}
