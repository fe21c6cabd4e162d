// `set`: computed values; and calculations as what a value is compared with.

import Bluetooth
import Documents
import Testing

@testable import Jobs

@Suite("set, and calculated bounds")
struct SetStepTests {
  private let bench = RunBench()

  @Test("a file, a line and Swift make the same step")
  func forms() throws {
    let file = try Plan.parse(
      """
      steps:
      - { read: battery-level, as: b }
      - { set: b.percent / 2, as: half, expect: { value: { max: 50 } } }
      """, file: "c"
    )
    let line = try Plan.parse(
      line: "read battery-level as b; set (b.percent / 2) as half expect value <= 50")
    let swift = try Plan {
      try Step.read("battery-level").captured(as: "b")
      try Step.set("b.percent / 2").captured(as: "half").expect("value", .atMost(50))
    }
    #expect(file.steps == line.steps && file.steps == swift.steps)
    #expect(file.steps[1].description == "set (b.percent / 2) as half expect value <= 50")
  }

  @Test("the names of a mapping are set in order, and each may use the earlier ones")
  func several() throws {
    try bench.run(
      file: """
        steps:
        - { read: battery-level, as: b }
        - set: { half: b.percent / 2, text: "'at ' ", twice: half * 4, first: "b.bytes[0:1]" }
        - write: alert-level
          value: [{ u8: "{half}" }, { u8: "{twice}" }, { hex: "{first}" }, { utf8: "{text}" }]
        """
    )
    #expect(bench.ending?.failure == nil)
    #expect(bench.device.calls.contains("write alert-level 249048617420"))
    #expect(bench.text()[2] == "2  set (b.percent / 2)  36")
  }

  @Test("later steps use a computed value like a captured one, with all its parts")
  func parts() throws {
    bench.device.notify("heart-rate-measurement", [60, 62].map { (.seconds(1), [0, $0]) })
    try bench.run(
      "notify heart-rate-measurement until 2x as log; set log.values[0] as one; assert one.bpm = 60"
    )
    #expect(bench.ending?.failure == nil)
  }

  @Test("a calculation without a result fails the step")
  func withoutResult() throws {
    try bench.run("read battery-level as b; set (1 / (b.percent - 72)) as x")
    let failure = try #require(bench.ending?.failure)
    #expect(failure.why == "'1 / (b.percent - 72)' is a division by 0")
    #expect(failure.code == .invalidValue)
  }

  @Test(
    "a bound may be a calculation, and both ends of a range captured values",
    arguments: [
      ("{ percent: '{b.percent}' }", nil), ("{ percent: '{b.percent * 2 - 72}' }", nil),
      ("{ percent: { between: ['{b.percent - 1}', '{b.percent}'] } }", nil),
      (
        "{ percent: { between: [0, '{b.percent // 2}'] } }",
        "expected percent <= 36, got 72 % (bytes 48)"
      ),
      ("{ percent: { below: '{b.percent / 2}' } }", "expected percent < 36, got 72 % (bytes 48)"),
    ] as [(String, String?)]
  )
  func bounds(expect: String, message: String?) throws {
    try bench.run(
      file: "steps:\n- { read: battery-level, as: b }\n- { read: battery-level, expect: \(expect) }"
    )
    #expect(bench.ending?.failure?.why == message)
  }

  @Test("a calculated bound on one line prints as it was parsed")
  func line() throws {
    let line = "read battery-level expect percent <= \"{b.percent * 2}\""
    let plan = try Plan.parse(line: "read battery-level as b; \(line)")
    #expect(plan.steps[1].description == line)
    #expect(try bench.run("read battery-level as b; \(line)") == nil)
  }

  @Test("variables from the command line are substituted in calculations on one line")
  func variables() throws {
    let bindings: Bindings = ["factor": "2", "unit": "%"]
    let plan = try Plan.parse(
      line: #"read battery-level as b; log "{b.percent * factor} {unit} {factor + 1}" "#,
      with: bindings
    )
    #expect(plan.steps[1].description == "log \"{b.percent * 2} % 3\"")
    #expect(bench.run(plan) == nil)
    #expect(bench.text().contains("2  log  144 % 3"))
  }

  @Test("a calculation of variables that has no result is reported when the line is parsed")
  func wrongVariables() {
    #expect(throws: DocumentErrors.self) {
      try Plan.parse(line: #"log "{1 / zero}""#, with: ["zero": "0"])
    }
  }

  @Test(
    "mistakes are found when the chain is read",
    arguments: [
      ("- { set: c + 1, as: x }", "no earlier step captures 'c'"),
      ("- { set: b.percent +, as: x }", "unexpected end (expected a number or a name)"),
      (
        "- { set: { x: b.percent, y: z + 1 } }",
        "no earlier step captures 'z'"
      ),
      (
        "- { set: { x: b.percent }, as: y }",
        "several calculations have no 'as' (expected a step for each)"
      ),
      (
        "- { set: b.percent / 2, as: x, expect: { percent: 36 } }",
        "the value has no 'percent'"
      ),
      (
        "- { set: b.percent / 2, as: x, expect: { u8: 36 } }",
        "the value has no 'u8'"
      ),
      (
        "- { set: b.percent / 2, as: x, expect: low }",
        "the value is a number, so it cannot be the text 'low'"
      ),
      (
        "- { read: battery-level, expect: { percent: { max: '{c.percent * 2}' } } }",
        "no earlier step captures 'c'"
      ),
      (
        "- { read: battery-level, expect: { percent: { between: [1, '{c}'] } } }",
        "no earlier step captures 'c'"
      ),
    ]
  )
  func mistakes(step: String, message: String) {
    let found = Plan.complaints("steps:\n- { read: battery-level, as: b }\n\(step)")
    #expect(found.count == 1 && found[0].contains(message), "\(found)")
  }
}
