// Captured values that are used later: written, compared with.

import Bluetooth
import Testing

@testable import Jobs

@Suite("Captured values")
struct CapturedValueTests {
  let bench = RunBench()

  @Test("a captured value is written")
  func writing() throws {
    try bench.run(
      "read battery-level as b; write alert-level u8:{b.percent} utf8:\"at {b.percent}\""
    )
    let text = "at 72".utf8.map { String($0, radix: 16) }.joined()
    #expect(
      bench.device.calls == [
        "connect", "read battery-level", "write alert-level 48\(text)", "disconnect",
      ]
    )
    #expect(bench.text()[2] == "2  write alert-level u8:72 utf8:\"at 72\"  ok")
  }

  @Test("a value is compared with one that was captured before")
  func comparing() throws {
    bench.device.answer("read battery-level", .value([72]), .value([71]), .value([73]))
    try bench.run(
      file: """
        steps:
        - { read: battery-level, as: first }
        - { read: battery-level, expect: { percent: { max: "{first.percent}" } } }
        - { read: battery-level, expect: { percent: { below: "{first.percent}" } } }
        """
    )
    let failure = bench.ending?.failure
    #expect(bench.ending?.done == 2)
    #expect(
      failure?.message
        == "reading battery-level: expected percent < 72, got 73 % (bytes 49)"
    )
  }

  @Test("a condition and an answer compare with captured values")
  func conditions() throws {
    try bench.run(
      file: """
        steps:
        - { read: battery-level, as: a }
        - { read: battery-level, as: b }
        - { when: { b.percent: { is: "{a.percent}" } }, steps: [ { log: same } ] }
        - { when: { b.percent: { not: "{a.percent}" } }, steps: [ { log: other } ] }
        """
    )
    #expect(bench.text().contains("3.1  log  same"))
    #expect(bench.endings.map(\.status).contains(.skipped))
  }

  @Test("a captured value that cannot be written fails the step, with the reason")
  func unfit() throws {
    bench.device.answer("read battery-level", .value([72]))
    try bench.run("read temperature-measurement as t; write alert-level u8:{t.celsius}")
    #expect(bench.ending?.failure?.code == .invalidValue)
    #expect(bench.ending?.step?.place == "step 2")
    #expect(
      bench.ending?.failure?.why.contains("cannot be written with its captured values") == true
    )
    #expect(!bench.device.isConnected)
  }

  @Test("what was not captured, because its step did not run, fails the step that takes it")
  func missing() throws {
    try bench.run(
      file: """
        steps:
        - { read: battery-level, as: b }
        - { when: { b.percent: 1 }, steps: [ { read: battery-level, as: c } ] }
        - { write: alert-level, value: { u8: "{c.percent}" } }
        """
    )
    #expect(
      bench.ending?.failure?.message == "writing alert-level: 'c.percent' was not captured: "
        + "its step did not run, or has no such value"
    )
  }

  @Test("what nobody captures is complained of where it is taken")
  func unknown() {
    #expect(
      Plan.complaints("steps:\n- { write: alert-level, value: { u8: '{b}' } }") == [
        "c:2:38: steps.1.value.u8: no earlier step captures 'b' "
          + "(expected a step before this one with 'as')"
      ]
    )
    let step = "steps:\n- { read: battery-level, as: b }\n- "
    #expect(
      Plan.complaints(step + "{ read: battery-level, expect: { percent: '{c.percent}' } }")
        == ["c:3:45: steps.2.expect.percent: no earlier step captures 'c' (did you mean 'b'?)"]
    )
    #expect(
      Plan.complaints(step + "{ sleep: '{b}s' }") == [
        "c:3:12: steps.2.sleep: 'b' is captured while the chain runs (expected a variable that "
          + "is set before the chain runs)"
      ]
    )
    #expect(
      Plan.complaints(step + "{ read: battery-level, expect: { percent: { in: ['{b}'] } } }").count
        == 1
    )
  }
}
