// A stream as a whole: functions over all its values, and its values in later steps.

import Bluetooth
import Documents
import Fixtures
import Testing

@testable import Jobs

@Suite("A stream as a whole")
struct WholeStreamTests {
  private let bench = RunBench()

  private static let names = """
    names:
      record:
        uuid: 0000a001-1212-efde-1523-785feabcd123
        fields:
          - { sequence: u8 }
          - { moisture: u16, scale: 0.01, unit: "%", unknown: 0xffff }
          - { state: u8, names: { 0: idle, 1: measuring } }
          - { cells: u8, repeat: end }

    """

  /// Three records, with 10 %, 20.5 % and 30 %; a list of two bytes in each.
  private static let records: [[UInt8]] = [
    [254, 0xe8, 0x03, 0, 1, 2], [255, 0x02, 0x08, 1, 3, 4], [0, 0xb8, 0x0b, 1, 5, 6],
  ]

  private func plan(_ steps: String) throws -> Plan {
    try Plan.parse(Self.names + "steps:\n" + steps, file: "c")
  }

  private func complaints(_ steps: String) -> [String] {
    Plan.complaints(Self.names + "steps:\n" + steps)
  }

  /// Runs a `notify` of the records with an expectation, and steps after it.
  ///
  /// - Returns: The reason of the failure; nil after a success.
  private func why(
    _ expect: String, then steps: String = "", of records: [[UInt8]] = records
  ) throws -> String? {
    bench.device.notify("record", records.map { (after: .seconds(1), octets: $0) })
    let expect = expect.isEmpty ? "" : ", expect: { \(expect) }"
    bench.run(
      try plan(
        "- { notify: record, until: { count: \(records.count) }, as: log\(expect) }\n\(steps)")
    )
    return bench.ending?.failure?.why
  }

  // MARK: Functions as subjects

  @Test(
    "a function over all values is checked at the end of the stream",
    arguments: [
      ("sum(moisture): 60.5", nil), ("mean(moisture): { between: [20, 20.2] }", nil),
      ("min(moisture): { min: 10 }, max(moisture): { max: 30 }", nil),
      ("distinct(state): 2", nil), ("distinct(sequence): { min: 3 }", nil),
      ("sum(cells): 21", nil), ("max(cells): 6", nil),
      ("\"crc32(bytes)\": 0x7c6c1d7a", "expected crc32(bytes) = 0x7c6c1d7a, got 2427378890"),
      ("sum8(bytes): 204", nil), ("\"crc16(bytes, modbus)\": 54540", nil),
      ("sum(moisture): { max: 60 }", "expected sum(moisture) <= 60, got 60.5"),
      ("distinct(state): 3", "expected distinct(state) = 3, got 2"),
    ] as [(String, String?)]
  )
  func totals(expect: String, message: String?) throws {
    #expect(try why(expect) == message)
  }

  @Test("a text in place of a number fails a sum at once")
  func notNumber() throws {
    let records: [[UInt8]] = [Self.records[0], [255, 0xff, 0xff, 0], Self.records[2]]
    #expect(
      try why("sum(moisture): { min: 1 }", of: records)
        == "expected sum(moisture) >= 1, got 'moisture' is unknown, not a number (bytes ffffff00)"
    )
  }

  @Test("bytes that do not fit the format inside a function fail at once")
  func undecodable() throws {
    #expect(
      try why("sum(u16): { min: 0 }")
        == "expected sum(u16) >= 0, got bytes that do not decode as u16 (expected 2 bytes, found 6) "
        + "(bytes fee803000102)"
    )
  }

  @Test("the functions can be used on one line, which prints as it was parsed")
  func line() throws {
    let line =
      "notify heart-rate-measurement until 3x expect mean(bpm) in 40..200 expect crc16(bytes,modbus) > 0"
    let plan = try Plan.parse(line: line)
    #expect(plan.steps.map(\.description) == [line])
    for checksum in ["crc16(bytes, modbus) > 0", "crc16( bytes, \"modbus\" )>0"] {
      let spaced = line.replacing("crc16(bytes,modbus) > 0", with: checksum)
      #expect(try Plan.parse(line: spaced).steps == plan.steps, "\(checksum)")
    }
    #expect(throws: DocumentErrors.self) {
      try Plan.parse(line: "notify heart-rate-measurement until 3x expect crc16(bytes > 0")
    }
    bench.device.notify("heart-rate-measurement", [60, 62, 64].map { (.seconds(1), [0, $0]) })
    #expect(try bench.run("notify heart-rate-measurement until 3x expect mean(bpm) = 62") == nil)
  }

  @Test("a poll and a combination have functions, too")
  func others() throws {
    bench.device.setAnswers("read battery-level", [.value([80]), .value([60])])
    #expect(try bench.run("poll battery-level every 1s until 2x expect mean(percent) = 70") == nil)
    bench.device.setAnswers("read battery-level", [.value([80])])
    bench.device.notify("heart-rate-measurement", [60, 64].map { (.seconds(1), [0, $0]) })
    let combine = """
      - combine: [{ notify: heart-rate-measurement, as: h }, { poll: battery-level, every: 1h, as: b }]
        until: { count: 2 }
        expect: { max(h.bpm): 64, distinct(b.percent): 1 }
      """
    #expect(try bench.run(file: "steps:\n" + combine) == nil)
  }

  @Test(
    "mistakes are found when the chain is read",
    arguments: [
      (
        "- { notify: record, until: { count: 1 }, expect: { sun(moisture): 1 } }",
        "unknown function 'sun' of all values (did you mean 'sum'?)"
      ),
      (
        "- { notify: record, until: { count: 1 }, expect: { sum(moistrue): 1 } }",
        "the value has no 'moistrue' (did you mean 'moisture'?)"
      ),
      (
        "- { notify: record, until: { count: 1 }, expect: { sum(state): 1 } }",
        "'state' is a text (expected numbers)"
      ),
      (
        "- { notify: record, until: { count: 1 }, expect: { crc32(moisture): 1 } }",
        "'moisture' is a number (expected bytes)"
      ),
      (
        "- { notify: record, until: { count: 1 }, expect: { crc16(bytes): 1 } }",
        "'crc16(bytes)' has the wrong number of arguments (expected crc16(bytes, modbus))"
      ),
      (
        "- { notify: record, until: { count: 1 }, expect: { 'crc16(bytes, modbuss)': 1 } }",
        "unknown checksum 'modbuss' (did you mean 'modbus'?)"
      ),
      (
        "- { read: record, expect: { sum(moisture): 1 } }",
        "'sum(moisture)' needs many values, and the step has only one"
      ),
      (
        "- { notify: record, until: { sum(moisture): 1 } }",
        "'sum(moisture)' is of all values, and 'until' looks at each (expected 'count', 'silence', "
          + "or a condition of one value)"
      ),
      (
        "- { notify: record, until: { rate: { min: 1 } } }",
        "'rate' is of all values, and 'until' looks at each (expected 'count', 'silence', or a "
          + "condition of one value)"
      ),
      (
        "- { notify: record, until: { count: 1 }, expect: { sum(moisture): { counter: 8 } } }",
        "'counter' compares each value with the one before it, and sum(moisture) is one number"
      ),
      (
        "- { notify: record, until: { count: 1 }, expect: { distinct(state): idle } }",
        "distinct(state) is a number, so it cannot be the text 'idle' (expected a number, or a "
          + "comparison such as { min: 20 })"
      ),
      (
        "- { notify: record, until: { count: 1 }, as: log }\n- { log: '{log.values.moistrue}' }",
        "'log.values' has no field 'moistrue' (did you mean 'moisture'?)"
      ),
      (
        "- { notify: record, until: { count: 1 }, as: log }\n- { assert: 'mean(log.values.state) > 1' }",
        "'log.values.state' is a text (expected numbers)"
      ),
      (
        "- { combine: [{ notify: record, as: r }, { poll: record, every: 1h, as: s }], until: { count: 1 }, as: log }\n- { log: '{log.bytes}' }",
        "'log' has no field 'bytes'"
      ),
      (
        "- { notify: record, until: { count: 1 }, as: log }\n- { assert: { log.values.sequence: 1 } }",
        "log.values.sequence is a list, and never 1"
      ),
      (
        "- { notify: record, until: { count: 1 }, as: log }\n- { assert: { log.values.sequence: { min: 1 } } }",
        "log.values.sequence is a list, and never compared with a number"
      ),
      (
        "- { notify: record, until: { count: 1 }, as: log }\n- { assert: log.values.sequence = 1 }",
        "'log.values.sequence' is a list, and '1' is a number"
      ),
      (
        "- { read: record, as: one }\n- { log: '{one.values}' }",
        "'one' has no field 'values'"
      ),
    ]
  )
  func mistakes(steps: String, message: String) {
    let found = complaints(steps)
    #expect(found.count == 1 && found[0].contains(message), "\(found)")
  }

  // MARK: Counters

  @Test("the counter of a described field wraps at its width")
  func counter() throws {
    #expect(try why("sequence: { counter: true }") == nil)
    #expect(
      try why("sequence: { counter: true }", of: [Self.records[0], Self.records[2]])
        == "expected sequence counts, got 0 after 254: 1 value missing (bytes 00b80b010506)"
    )
  }

  // MARK: Later steps

  @Test("later steps use all values, a column, the first, the last, and all bytes")
  func kept() throws {
    let steps = """
      - assert: len(log.values) = 3 and log.count = 3 and log.values[1].sequence = 255
      - assert: sum(log.values.moisture) = 60.5 and mean(log.values.moisture) > 20
      - assert: { log.first.sequence: 254, log.last.sequence: 0, log.sequence: 0 }
      - assert: len(log.bytes) = 18 and crc32(log.bytes) = 2427378890
      - log: "{log.first.moisture} {log.values[0:2].state} {log.bytes[0:2]} {log.values.cells[2]}"
      """
    #expect(try why("", then: steps) == nil)
    #expect(bench.text().contains("6  log  10.00 idle, measuring fee8 5, 6"))
  }

  @Test("a field with the name of a part of the stream hides that part")
  func named() throws {
    let names = "names: { r: { uuid: ff01, fields: [{ first: u8 }, { last: u8 }] } }\n"
    bench.device.notify("r", [(.seconds(1), [1, 2]), (.seconds(1), [3, 4])])
    let steps = """
      steps:
      - { notify: r, until: { count: 2 }, as: log }
      - assert: log.first = 3 and log.last = 4 and log.values[0].first = 1
      """
    #expect(bench.run(try Plan.parse(names + steps, file: "c")) == nil)
  }

  @Test("only the values of streams that a later step uses as a whole are kept")
  func onlyUsed() throws {
    let used = try plan(
      "- { notify: record, until: { count: 1 }, as: a }\n- { notify: record, until: { count: 1 }, as: b }\n"
        + "- when: { b.count: 1 }\n  steps: [{ log: '{a.values}' }]"
    )
    #expect(used.keptStreams == ["a"])
  }

  @Test("each repetition keeps its own values")
  func repeated() throws {
    bench.device.notify("record", Self.records.map { (after: .seconds(1), octets: $0) })
    let steps = """
      - repeat: 2
        steps:
          - { notify: record, until: { count: 2 }, as: log }
          - assert: len(log.values) = 2
      """
    #expect(bench.run(try plan(steps)) == nil)
  }

  @Test("a stream with too many values continues, and a later step that uses all of them fails")
  func tooMany() throws {
    bench.device.notify(
      "ff01", (0...KeptValues.most).map { _ in (after: .milliseconds(1), octets: [1]) }
    )
    let count = KeptValues.most + 1
    let notify = "notify ff01 until \(count)x format u8 as log expect sum(value) = \(count)"
    try bench.run("\(notify); log {log.first}; assert (len(log.values) > 0)")
    #expect(bench.ending?.done == 2)
    #expect(
      bench.ending?.failure?.why
        == "'log' kept 10000 of 10001 values, and keeps at most 10000 values and 1048576 bytes: "
        + "'expect' of the step keeps none"
    )
  }

  @Test("the last value of a stream with too many is the one that arrived last")
  func lastOfTooMany() throws {
    let count = KeptValues.most + 1
    bench.device.notify(
      "ff01", (1...count).map { (after: .milliseconds(1), octets: [$0 == count ? 2 : 1]) }
    )
    let notify = "notify ff01 until \(count)x format u8 as log"
    try bench.run("\(notify); assert (log.last = 2 and log.first = 1 and log.count = \(count))")
    #expect(bench.ending?.failure == nil)
  }

  @Test("a name that is captured again with a single value loses the parts of the stream")
  func recaptured() throws {
    bench.device.notify("record", Self.records.map { (after: .seconds(1), octets: $0) })
    bench.device.setAnswers("read record", [.value(Self.records[0])])
    let steps = """
      - { notify: record, until: { count: 3 }, as: log }
      - { log: "{log.values.sequence}" }
      - { read: record, as: log }
      - { log: "{log.bytes}" }
      - { log: "{log.count}" }
      """
    bench.run(try plan(steps))
    #expect(bench.text().contains("4  log  fee803000102"), "\(bench.text())")
    #expect(bench.text().contains("5  log  ?"), "\(bench.text())")
  }

  @Test("the bytes of a single value can be used, too")
  func bytesOfOne() throws {
    try bench.run(
      "read battery-level as b; assert (crc8(b.bytes) = crc8(b.bytes) and len(b.bytes) = 1)")
    #expect(bench.ending?.failure == nil)
  }
}
