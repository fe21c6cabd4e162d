// `assert`: conditions on captured values.

import Documents
import Testing

@testable import Jobs

@Suite("assert")
struct AssertStepTests {
  let bench = RunBench()

  @Test("a file, a line and Swift make the same step")
  func forms() throws {
    let file = try Plan.parse(
      """
      steps:
      - { read: battery-level, as: b }
      - assert: { b.percent: { min: 20 } }
      - { assert: { b.percent: { max: 90, not: 50 }, b: 72 } }
      """,
      file: "c"
    )
    let line = try Plan.parse(
      line: """
        read battery-level as b; assert b.percent >= 20
        assert b.percent <= 90 and b.percent != 50 and b = 72
        """
    )
    #expect(file == line)
    let swift = try Plan {
      try Step.read("battery-level").captured(as: "b")
      try Step.assert("b.percent", .atLeast(20))
    }
    #expect(swift.steps == Array(line.steps.prefix(2)))
    #expect(
      file.steps.map(\.description).suffix(2) == [
        "assert b.percent >= 20", "assert b.percent <= 90 and b.percent != 50 and b = 72",
      ]
    )
  }

  @Test("a condition that holds lets the chain go on")
  func holds() throws {
    try bench.run("read battery-level as b; assert b.percent >= 20 and b.percent < 80; log after")
    #expect(bench.ending?.status == .ok)
    #expect(bench.text().contains("2  assert b.percent >= 20 and b.percent < 80  ok"))
    #expect(bench.text().contains("3  log  after"))
  }

  @Test("a condition that does not hold fails the chain and reports the value found")
  func fails() throws {
    try bench.run("read battery-level as b; assert b.percent >= 20 and b.percent > 80; log after")
    let failure = bench.ending?.failure
    #expect(failure?.code == .expectationNotMet)
    #expect(failure?.message == "checking captured values: expected b.percent > 80, got 72")
    #expect(bench.ending?.step?.place == "step 2")
    #expect(!bench.text().contains { $0.hasPrefix("3  log") })
  }

  @Test("a variable that was not captured fails every condition")
  func missing() throws {
    try bench.run(
      file: """
        steps:
        - { read: battery-level, as: b }
        - when: { b.percent: 1 }
          steps: [ { read: battery-level, as: c } ]
        - assert: { c.percent: { min: 1 } }
        """
    )
    #expect(bench.ending?.failure?.why == "expected c.percent >= 1, got no captured value")
  }

  @Test("a bound may be a captured value too")
  func captured() throws {
    bench.device.answer("read battery-level", .value([72]), .value([71]))
    try bench.run(
      "read battery-level as a; read battery-level as b; assert b.percent >= {a.percent}"
    )
    #expect(bench.ending?.failure?.why == "expected b.percent >= 72, got 71")
  }
}
