// Descriptions of values in chains: read, expected, captured, written, and refused.

import Bluetooth
import Documents
import Testing

@testable import Jobs

@Suite("Described values in chains")
struct DescribedValueTests {
  static let names = """
    names:
      record:
        uuid: 0000a001-1212-efde-1523-785feabcd123
        fields:
          - { sequence: u16 }
          - { moisture: u16, scale: 0.01, unit: "%", unknown: 0xffff }
          - { flags: u8, bits: { tamper: 1, state: 4..5 }, names: { state: { 0: idle, 1: measuring } } }
          - { rest: bytes, size: u8 }
      config:
        uuid: 0000a002-1212-efde-1523-785feabcd123
        fields:
          - { interval: u16, unit: s }
          - { mode: u8, names: { 0: off, 1: eco } }
          - { crc: u8, checksum: xor8 }
      wide: { format: u16be }

    """

  private func complaints(_ steps: String) -> [String] {
    Plan.complaints(Self.names + "steps:\n" + steps)
      .map { String($0.drop { $0 != " " }.dropFirst()) }
  }

  private func plan(_ steps: String) throws -> Plan {
    try Plan.parse(Self.names + "steps:\n" + steps, file: "c")
  }

  @Test("fields are compared, captured, asserted and written by their names")
  func runs() throws {
    let bench = RunBench()
    bench.device.answer("read record", .value([7, 0, 0xa0, 0x0f, 0x10, 2, 1, 2]))
    let error = bench.run(
      try plan(
        """
        - read: record
          as: r
          expect: { moisture: { between: [10, 60] }, flags.tamper: false, flags.state: measuring }
        - assert: { r.sequence: 7, r.flags.state: measuring }
        - write: config
          value: { interval: "{r.sequence}", mode: eco }
        - { read: record, format: hex, expect: 0700a00f10020102 }
        """
      )
    )
    #expect(error == nil)
    let text = bench.text().joined(separator: "\n")
    #expect(
      text.contains(
        "sequence 7, moisture 40.00 %, flags tamper no, state measuring, rest 0102"
      ),
      "\(text)"
    )
    let json = bench.json().joined()
    #expect(
      json.contains(
        #""value":{"sequence":7,"moisture":40.0,"flags":{"tamper":false,"state":"measuring"},"rest":"0102"}"#
      ),
      "\(json)"
    )
    let written = bench.endings.compactMap(\.outcome).compactMap { outcome in
      if case .written(let octets) = outcome { octets } else { nil }
    }
    #expect(written == [[7, 0, 1, 6]])
  }

  @Test("a value that is not as expected fails with the field")
  func fails() throws {
    let bench = RunBench()
    bench.device.answer("read record", .value([7, 0, 0xff, 0xff, 0x10, 0]))
    let error = bench.run(try plan("- { read: record, expect: { moisture: { min: 10 } } }"))
    #expect(error != nil)
    let text = bench.text().joined(separator: "\n")
    #expect(text.contains("expected moisture >= 10, got unknown"), "\(text)")
  }

  @Test(
    "mistakes are found when the chain is read",
    arguments: [
      (
        "- { read: record, expect: { moistrue: 1 } }",
        "steps.1.expect.moistrue: the value has no 'moistrue' (did you mean 'moisture'?)"
      ),
      (
        "- { read: record, expect: { flags.state: measring } }",
        "steps.1.expect.flags.state: flags.state cannot be 'measring' (did you mean 'measuring'?)"
      ),
      (
        "- { read: record, expect: { moisture: 700 } }",
        "steps.1.expect.moisture: moisture is from 0 to 100, so it cannot be = 700"
      ),
      (
        "- { write: config, value: { interval: 600, mode: ecco } }",
        "steps.1.value.mode: unknown name 'ecco' (did you mean 'eco'?); names of mode: off, eco"
      ),
      (
        "- { write: config, value: { intervall: 600, mode: eco } }",
        "steps.1.value.intervall: unknown field 'intervall' of config (did you mean 'interval'?)"
      ),
      ("- { write: config, value: { interval: 600 } }", "steps.1.value: mode: missing"),
      (
        "- { read: record, as: r }\n- { write: config, value: { interval: '{r.sequence}', mode: ecco } }",
        "steps.2.value.mode: unknown name 'ecco' (did you mean 'eco'?); names of mode: off, eco"
      ),
      (
        "- { read: record, as: r }\n- { write: config, value: { interval: '{r.sequence}' } }",
        "steps.2.value: mode: missing"
      ),
      (
        "- { read: record, format: wid }",
        "steps.1.format: unknown format 'wid' (did you mean 'wide'?)"
      ),
      (
        "- { read: record, as: r }\n- { log: '{r.flags.tmper}' }",
        "steps.2.log: 'r' has no field 'flags.tmper' (did you mean 'flags.tamper'?)"
      ),
    ]
  )
  func mistakes(steps: String, message: String) {
    let found = complaints(steps)
    #expect(found.count == 1 && found[0].hasSuffix(message), "\(found)")
  }

  @Test("one line writes fields, and prints what it was parsed from")
  func line() throws {
    let folder = try FolderOfFiles(["names.yaml": Self.names])
    let names = try AttributeNames(file: folder.path + "/names.yaml")
    let line = "write config fields:\"interval=600 mode=eco\""
    let plan = try Plan.parse(line: line, names: names)
    #expect(plan.steps.map(\.description) == [line])
    let named = try Plan.parse(line: "read ff01 format wide", names: names)
    #expect(named.steps.map(\.description) == ["read ff01 format wide"])
  }

  @Test("a value in pieces is one value, and bytes between values are invalid")
  func pieces() throws {
    let names = """
      names:
        answer:
          uuid: ff01
          pieces: true
          fields: [{ is: dd }, { length: u8 }, { cells: u8, repeat: length }]
      steps:

      """
    let bench = RunBench()
    let second = Duration.seconds(1)
    let notified: [[UInt8]] = [[9, 0xdd, 3, 1], [2], [3, 0xdd], [1, 7]]
    bench.device.notify("answer", notified.map { (second, $0) })
    let step = "- { notify: answer, until: { count: 3 }, on-invalid: report, as: log }"
    let error = bench.run(
      try Plan.parse(names + step + "\n- assert: log.cells[0] = 7", file: "c")
    )
    #expect(error == nil, "\(bench.text())")
    let values = bench.story.filter { $0.hasPrefix("1 ") && !$0.contains("notify") }
    #expect(values.count == 3 && values[0] == "1 ?", "\(values)")
    #expect(values.last?.hasSuffix("7") == true && values[1].hasSuffix("1, 2, 3"), "\(values)")
    bench.device.notify("answer", notified.map { (second, $0) })
    #expect(
      bench.run(
        try Plan.parse(
          names + "- { notify: answer, until: { count: 4 }, format: hex }", file: "c")
      ) == nil
    )
  }

  /// Runs a step on values in pieces: `dd`, a length, and so many cells.
  private func piecesRun(
    _ step: String, _ notified: [(after: Duration, octets: [UInt8])]
  ) throws -> (bench: RunBench, notify: StepResult) {
    let names = """
      names:
        answer:
          uuid: ff01
          pieces: true
          fields: [{ is: dd }, { length: u8 }, { cells: u8, repeat: length }]
      steps:

      """
    let bench = RunBench()
    bench.device.notify("answer", notified)
    bench.run(try Plan.parse(names + "- " + step, file: "c"))
    return (bench, try #require(bench.endings.first { $0.step.operation == "notify" }))
  }

  private static let second = Duration.seconds(1)
  private static let cut = "bytes dd0301 (cells, byte 3: expected 1 byte, found 0)"

  @Test("a value that a gap cut off is invalid, and comes before the gap")
  func cutByGap() throws {
    let second = Self.second
    let notified: [(after: Duration, octets: [UInt8])] = [
      (second, [0xdd, 3, 1]), (second, []), (second, [0xdd, 1, 7]),
    ]
    let reported = try piecesRun(
      "{ notify: answer, until: { count: 2 }, on-invalid: report }", notified
    )
    #expect(reported.notify.status == .ok)
    let values = reported.bench.story.filter { $0.hasPrefix("1 ") && !$0.contains("notify") }
    #expect(values.count == 3 && values[0] == "1 ?" && values[1].contains("gap"), "\(values)")
    #expect(reported.notify.notes == ["1 invalid value: \(Self.cut)"])
    let failed = try piecesRun("{ notify: answer, until: { count: 2 } }", notified)
    #expect(failed.notify.failure?.code == .invalidValue)
  }

  @Test("a step with a duration says that its end cut off a value")
  func cutByEnd() throws {
    let notified: [(after: Duration, octets: [UInt8])] = [
      (Self.second, [0xdd, 1, 7]), (Self.second, [0xdd, 3, 1]),
    ]
    let (_, step) = try piecesRun("{ notify: answer, for: 5s }", notified)
    #expect(step.status == .ok)
    #expect(step.notes == ["the last value was not complete: \(Self.cut)"])
  }

  @Test("pieces are no silence; a value that silence cut off fails the step")
  func cutBySilence() throws {
    let pause = Duration.seconds(2)
    let step = "{ notify: answer, until: { silence: 3s } }"
    let whole = try piecesRun(
      step, [(pause, [0xdd, 3]), (pause, [1]), (pause, [2]), (pause, [3])]
    )
    #expect(whole.notify.status == .ok)
    #expect(whole.bench.story.contains { $0.hasSuffix("1, 2, 3") }, "\(whole.bench.story)")
    let cut = try piecesRun(step, [(pause, [0xdd, 3]), (pause, [1])])
    #expect(cut.notify.failure?.code == .invalidValue)
  }

  @Test("a step that waits in vain says what came of a value")
  func cutByTimeout() throws {
    let notified: [(after: Duration, octets: [UInt8])] = [(Self.second, [0xdd, 3, 1])]
    let (bench, _) = try piecesRun(
      "{ notify: answer, until: { count: 2 }, timeout: 10s }", notified
    )
    #expect(
      bench.ending?.failure?.why
        == "no value came within 10s; waited for 2 values; 3 bytes of a value came: cells, byte 3: "
        + "expected 1 byte, found 0"
    )
  }

  @Test("the words of expectations are no names of fields on the top level")
  func reserved() {
    let own = Subjects.plain.names + Measure.allCases.map(\.rawValue) + ["count", "rate"]
    for name in own {
      let text = "names: { a: { fields: [{ \(name): u8 }] } }\nsteps: [connect]"
      let problem = Plan.complaints(text).first ?? "none"
      #expect(problem.contains("'\(name)' is "), "\(name): \(problem)")
    }
  }
}
