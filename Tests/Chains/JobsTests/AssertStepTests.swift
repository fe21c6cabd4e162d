// `assert`: conditions on captured values.

import Bluetooth
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

  // MARK: Calculations

  @Test("a calculation in a file, on a line and in Swift makes the same step")
  func calculated() throws {
    let file = try Plan.parse(
      """
      steps:
      - { read: battery-level, as: b }
      - assert: b.percent * 2 >= 40
      - when: (b.percent + 1) & 3 = 1 or b.percent > 50
        steps: [ { log: full } ]
      """,
      file: "c"
    )
    let line = try Plan.parse(
      line: """
        read battery-level as b; assert (b.percent * 2 >= 40)
        when ((b.percent + 1) & 3 = 1 or b.percent > 50) { log full }
        """
    )
    #expect(file.steps[1] == line.steps[1])
    #expect(line.steps[1].description == "assert (b.percent * 2 >= 40)")
    let swift = try Plan {
      try Step.read("battery-level").captured(as: "b")
      try Step.assert("b.percent * 2 >= 40")
    }
    #expect(swift.steps == Array(file.steps.prefix(2)))
    let again = try Plan.parse(
      line: file.steps.map(\.description).prefix(2).joined(separator: "; "))
    #expect(again.steps == Array(file.steps.prefix(2)))
  }

  @Test(
    "only parentheses around all of a calculation are left out, and mistakes keep their columns",
    arguments: [
      ("assert (1 < b.percnt)", "-e:1:38: "), ("assert ( 1 < b.percnt )", "-e:1:39: "),
      ("assert ((b.percent)+b.percnt>1)", "-e:1:46: "),
      ("assert (b.percnt)>(1)", "-e:1:34: "),
    ]
  )
  func parentheses(step: String, complaint: String) {
    let error = #expect(throws: DocumentErrors.self) {
      try Plan.parse(line: "read battery-level as b; \(step)")
    }
    let found = error?.problems.map(\.description) ?? []
    #expect(found.count == 1 && found[0].contains(complaint), "\(found)")
  }

  @Test("a calculation that holds lets the chain go on; one that does not says what it found")
  func calculatedEnding() throws {
    try bench.run(
      "read battery-level as b; assert (b.percent * 2 > 140); assert (b.percent // 10 > 7 and b > 1); log after"
    )
    #expect(bench.text().contains("2  assert (b.percent * 2 > 140)  ok"))
    #expect(bench.ending?.failure?.code == .expectationNotMet)
    #expect(
      bench.ending?.failure?.why
        == "expected b.percent // 10 > 7 and b > 1, got b.percent 72, b 72 %"
    )
  }

  @Test("a calculation without a result fails the step, and one with a missing value does not hold")
  func withoutResult() throws {
    try bench.run("read battery-level as b; assert (b.percent / (b.percent - 72) > 1)")
    #expect(bench.ending?.failure?.code == .invalidValue)
    #expect(
      bench.ending?.failure?.why == "'b.percent / (b.percent - 72)' is a division by 0"
    )
  }

  @Test("a calculation with a value that was not captured does not hold")
  func calculatedMissing() throws {
    try bench.run(
      """
      read battery-level as b; when b.percent = 1 { read battery-level as c }
      assert (c.percent * 2 > 1)
      """
    )
    #expect(
      bench.ending?.failure?.why == "expected c.percent * 2 > 1, got c.percent without a value"
    )
  }

  @Test(
    "a calculation in braces is put in with all its digits",
    arguments: [("b.percent/2", "24"), ("b.percent - 70", "02"), ("hex(b.percent)", "30")]
  )
  func braces(text: String, written: String) throws {
    try bench.run("read battery-level as b; write alert-level u8:\"{\(text)}\"; log \"{b / 100}\"")
    #expect(bench.device.calls.contains("write alert-level \(written)"))
    #expect(bench.text().contains("3  log  0.72"))
  }

  @Test("variables of the file are put into calculations before the chain runs")
  func variables() throws {
    let plan = try Plan.parse(
      """
      variables: { level: 3, name: full }
      steps:
      - { read: battery-level, as: b }
      - { repeat: "{level * 2}", steps: [ { log: "{b.percent + level}" } ] }
      - assert: "b.percent > {level}"
      """,
      file: "c"
    )
    #expect(plan.steps[1].description.hasPrefix("repeat 6"))
    #expect(plan.steps[1].innerSteps.first?.description == "log \"{b.percent + 3}\"")
    #expect(plan.steps[2].description == "assert (b.percent > 3)")
  }

  @Test("the text of a variable in a calculation stays a text, whatever quotes it has")
  func quotes() throws {
    func plan(_ text: String) throws -> Plan {
      try Plan.parse("variables: { text: \(text) }\nsteps: [ { log: \"{len(text)}\" } ]", file: "c")
    }
    #expect(try plan(#""'a' or ' b""#).steps[0].description.contains("10"))
    #expect(throws: DocumentErrors.self) { try plan(#""' or true or '\"""#) }
  }

  @Test(
    "mistakes in a calculation are found before the chain runs, with their column",
    arguments: [
      (
        "assert: b.percnt > 1",
        "c:3:11: steps.2.assert: 'b' has no field 'percnt' (did you mean 'percent'?)"
      ),
      (
        "assert: 1 < b.percnt",
        "c:3:15: steps.2.assert: 'b' has no field 'percnt' (did you mean 'percent'?)"
      ),
      ("assert: b-1 > 1", "expected b - 1 for a difference"),
      (
        "assert: b.percent +",
        "c:3:22: steps.2.assert: unexpected end (expected a number or a name)"
      ),
      ("assert: b.percent + 1", "'b.percent + 1' is a number (expected a comparison such as"),
      ("assert: $b.percent > 1", "'$b.percent': names have no $ here (did you mean 'b.percent'?)"),
      ("log: \"at {b.percent +}\"", "unexpected end (expected a number or a name)"),
      ("log: \"at {crc23(b)}\"", "unknown function 'crc23' (did you mean 'crc32'?)"),
      ("log: \"at {b.percnt + 1}\"", "'b' has no field 'percnt'"),
      ("log: '{\"a\": 1}'", "expected a text, with captured values in braces"),
    ]
  )
  func mistakes(step: String, complaint: String) {
    do {
      let text = "steps:\n- { read: battery-level, as: b }\n- \(step)"
      let plan = try Plan.parse(text, file: "c")
      Issue.record("\(plan) was read")
    } catch {
      let found = error.problems.map(\.description)
      #expect(found.count == 1 && found[0].contains(complaint), "\(found)")
    }
  }
}
