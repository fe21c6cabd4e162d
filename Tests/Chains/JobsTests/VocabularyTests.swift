// The one vocabulary of expectations and conditions, in files and on one line.

import Bluetooth
import Signals
import Testing

@testable import Jobs

@Suite("Expectations of values")
struct VocabularyTests {
  let bench = RunBench()
  static let own = "6e5d0002-1b1a-4e1c-8f6b-0b6c1d2e3f40"

  /// The reason why a step fails that receives these bytes; nil if it succeeds.
  func why(_ octets: [UInt8], _ expectation: String) throws -> String? {
    let bench = RunBench()
    bench.device.answer("read \(Self.own)", .value(octets))
    try bench.run("read \(Self.own) expect \(expectation)")
    return bench.ending?.failure?.why
  }

  @Test("a mask selects some bits of a number")
  func masks() throws {
    #expect(try why([0xa5], "u8 & 0x0f = 0x05") == nil)
    #expect(try why([0xa5], "u8 & 0b11110000 = 160") == nil)
    #expect(try why([0xa6], "u8 & 0x0f = 0x05") == "expected u8 & 0x0f = 0x05, got 166 (bytes a6)")
  }

  @Test("a pattern matches bytes and text")
  func patterns() throws {
    #expect(try why([1, 2, 0xff], "hex ~ 01??ff") == nil)
    #expect(try why([1, 2, 3, 0xff], "value ~ '01 *F'") == nil)
    #expect(
      try why([1, 2, 0xfe], "value ~ 01??ff")
        == "expected value ~ 01??ff, got 0102fe"
    )
    #expect(try why(Array("Lamp-7".utf8), "utf8 ~ Lamp-?") == nil)
    #expect(
      try why(Array("lamp".utf8), "utf8 ~ 'Lamp*'")
        == "expected utf8 ~ Lamp*, got lamp (bytes 6c616d70)"
    )
  }

  // MARK: Counters

  func counting(_ rule: String, _ values: [UInt8]) throws -> String? {
    let bench = RunBench()
    bench.device.notify(Self.own, values.map { (.seconds(1), [$0]) })
    try bench.run("notify \(Self.own) until \(values.count)x expect u8 \(rule)")
    return bench.ending?.failure?.why
  }

  @Test("a counter increases by one, wraps at its width, and may skip the allowed gaps")
  func counters() throws {
    #expect(try counting("counts 8", [253, 254, 255, 0, 1]) == nil)
    #expect(try counting("counts", [1, 2, 3]) == nil)
    #expect(try counting("counts", [255, 0]) == "expected u8 counts, got 0 after 255 (bytes 00)")
    #expect(
      try counting("counts 8", [1, 2, 4])
        == "expected u8 counts 8, got 4 after 2: 1 value missing (bytes 04)"
    )
    #expect(try counting("counts 8 gaps 2", [1, 3, 5]) == nil)
    #expect(
      try counting("counts 8 gaps 2", [254, 1, 3])
        == "expected u8 counts 8 gaps 2, got 3 after 1: 3 values missing (bytes 03)"
    )
    #expect(try counting("counts 8", [5, 5]) == "expected u8 counts 8, got 5 after 5 (bytes 05)")
    #expect(
      try counting("counts 8 gaps 9", [5, 4])
        == "expected u8 counts 8 gaps 9, got 4 after 5 (bytes 04)"
    )
  }

  @Test("16-bit and 32-bit counters wrap at their width")
  func widths() {
    let (word, long) = (CounterRule(bits: 16), CounterRule(bits: 32))
    #expect(word.missing(from: 65_535, to: 0) == 0 && word.missing(from: 65_534, to: 1) == 2)
    #expect(
      long.missing(from: 4_294_967_295, to: 0) == 0 && long.missing(from: 65_535, to: 0) == nil
    )
    #expect(word.missing(from: 70_000, to: 1) == nil)
    #expect(CounterRule(bits: nil).missing(from: .min, to: .max) == nil)
  }

  // MARK: Streams

  func hearts(_ gaps: Int...) {
    bench.device.notify("heart-rate-measurement", gaps.map { (.milliseconds($0), [0, 60]) })
  }

  @Test("intervals have percentiles, and a failure reports the measured one")
  func intervals() throws {
    hearts(100, 200, 200, 300, 900)
    try bench.run(
      "notify heart-rate-measurement until 5x "
        + "expect interval-p50 <= 200ms expect interval-p95 in 1s..2s"
    )
    #expect(bench.ending?.failure?.why == "expected interval-p95 in 1s..2s, got 900ms")
  }

  @Test("silence is the longest time without a value, including the end")
  func silence() throws {
    hearts(500, 500)
    try bench.run("notify heart-rate-measurement for 5s expect silence < 2s")
    #expect(bench.ending?.failure?.why == "expected silence < 2s, got 4s")
    let quiet = RunBench()
    quiet.device.notify("heart-rate-measurement", [])
    try quiet.run("notify heart-rate-measurement for 2s expect count = 0")
    #expect(quiet.ending?.status == .ok)
  }

  @Test("an expectation of something that cannot be measured fails")
  func nothingMeasured() throws {
    hearts(100)
    try bench.run("notify heart-rate-measurement until 1x expect interval-p99 < 1s")
    #expect(bench.ending?.failure?.why == "expected interval-p99 < 1s, got fewer than two values")
  }

  @Test("latencies of reads can be expected")
  func latencies() throws {
    bench.device.answer("read battery-level", .value([1], after: .milliseconds(40)))
    try bench.run("poll battery-level every 1s until 3x expect latency-p99 < 30ms")
    #expect(bench.ending?.failure?.why == "expected latency-p99 < 30ms, got 40ms")
  }

  @Test("conditions use the same words, also for measurements")
  func conditions() throws {
    hearts(500, 500)
    try bench.run(
      file: """
        steps:
        - { notify: heart-rate-measurement, until: { count: 2 }, as: h }
        - { when: { h.count: 2, h.rate: { min: 1.5 } }, steps: [ { log: enough } ] }
        - { when: { h.interval-p50: { max: 500ms } }, steps: [ { log: often } ] }
        - { when: { h.silence: { above: 1s } }, steps: [ { log: quiet } ] }
        - { when: { h.bpm: { mask: [0x04, 0x04], counter: true } }, steps: [ { log: bits } ] }
        """
    )
    let said = bench.text().filter { $0.contains("  log  ") }
    #expect(said == ["2.1  log  enough", "3.1  log  often", "5.1  log  bits"])
  }

  // MARK: The same in files

  @Test(
    "files and lines produce the same expectations",
    arguments: [
      ("{ u8: { mask: [0x0f, 5] } }", "u8 & 0x0f = 0x05"),
      ("{ hex: { like: '01 ?? ff*' } }", "hex ~ \"01 ?? ff*\""),
      ("{ u8: { counter: 8 } }", "u8 counts 8"), ("{ u8: { counter: true } }", "u8 counts"),
      ("{ u8: { counter: { bits: 16, gaps: 2 } } }", "u8 counts 16 gaps 2"),
      ("{ u8: { counter: { gaps: 3, bits: 8 } } }", "u8 counts 8 gaps 3"),
      ("{ silence: { max: 2s } }", "silence <= 2s"),
      ("{ interval-p95: { between: [10ms, 1m] } }", "interval-p95 in 10ms..1m"),
    ]
  )
  func both(file: String, line: String) throws {
    let step = "notify \(Self.own) until 3x expect \(line)"
    let text = "steps: [ { notify: \(Self.own), until: { count: 3 }, expect: \(file) } ]"
    let plan = try Plan.parse(line: step)
    #expect(try Plan.parse(text, file: "c") == plan)
    #expect(plan.steps[0].description == step)
  }

  @Test("a failure in JSON has separate keys for the expectation, the value and its bytes")
  func json() throws {
    try bench.run("read battery-level expect percent > 80")
    let line = bench.json().first { $0.contains("expectation-not-met") } ?? ""
    #expect(
      line.contains("\"expected\":\"percent > 80\",\"got\":\"72 %\",\"octets\":\"48\"}"), "\(line)"
    )
  }
}
