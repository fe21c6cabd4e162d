// Variables: where their values come from, where they may be used, and errors in them.

import Bluetooth
import Documents
import Signals
import Testing

@testable import Jobs

@Suite("Variables")
struct VariableTests {
  static let file = """
    name: "Lamp {lamp}"
    device: { name: "{lamp}*" }
    timeout: "{limit}"
    variables:
      lamp: Lamp-1
      limit: { type: duration, default: 10s }
      level: { type: integer, default: 1 }
      target: alert-level
    steps:
    - write: "{target}"
      value: { u8: "{level}" }
    - repeat: "{level}"
      steps: [ { sleep: "{limit}" } ]
    - log: "{lamp} is at {level}, in {{braces}}"
    """

  func bindings(_ pairs: (String, String)...) -> Bindings {
    var bindings = Bindings()
    for (name, text) in pairs { bindings.bind(name, to: text, from: "--set", mustBeKnown: true) }
    return bindings
  }

  func complaints(_ text: String, _ bindings: Bindings = Bindings()) -> [String] {
    do {
      _ = try ChainTemplate.parse(text, file: "c").plan(with: bindings) { _ in nil }
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  @Test("defaults are substituted in values, targets, durations and text")
  func defaults() throws {
    let plan = try Plan.parse(Self.file, file: "c")
    #expect(
      plan.description == """
        chain     Lamp Lamp-1
        device    'Lamp-1*'
        timeout   10s a step

              connect
        1     write alert-level u8:1
        2     repeat 1
        2.1     sleep 10s
        3     log "Lamp-1 is at 1, in {{braces}}"
              disconnect
        """
    )
  }

  @Test("given values override defaults and are never parsed as YAML")
  func given() throws {
    let given = bindings(("lamp", "{level}: [x]\n- y"), ("level", "0x10"), ("limit", "500ms"))
    let plan = try Plan.parse(Self.file, file: "c", with: given)
    #expect(plan.device == .name("{level}: [x]\n- y*"))
    #expect(plan.timeout == .milliseconds(500))
    #expect(plan.steps[0] == (try Plan.parse(line: "write alert-level u8:0x10").steps[0]))
    #expect(plan.steps[1].title == "repeat 16")
  }

  @Test("one template produces a plan for each row")
  func rows() throws {
    let template = try ChainTemplate.parse(Self.file, file: "c")
    let levels = try ["1", "7"].map { level in
      try template.plan(with: bindings(("level", level))).steps[0].title
    }
    #expect(levels == ["write alert-level u8:1", "write alert-level u8:7"])
  }

  @Test("a value of the wrong type is reported where the variable is declared")
  func types() {
    let wrong = bindings(("level", "high"), ("limit", "soon"))
    #expect(
      complaints(Self.file, wrong) == [
        "c:6:3: variables.limit: expected a duration such as 10s, found 'soon' from --set",
        "c:7:3: variables.level: expected a whole number, found 'high' from --set",
      ]
    )
    let types = "steps: [connect]\nvariables:\n"
    for (type, good, bad) in [
      ("text", "", nil), ("integer", "-3", "1.5"), ("number", "1.5", "x"), ("boolean", "true", "1"),
      ("duration", "1.5h", "5"), ("address", "C0:FF:EE:00:00:01", "C0:FF"), ("hex", "01ff", "0"),
    ] as [(String, String, String?)] {
      let text = types + "  a: { type: \(type), default: '' }"
      #expect(complaints(text, bindings(("a", good))) == [], "\(type)")
      if let bad { #expect(complaints(text, bindings(("a", bad))).count == 1, "\(type)") }
    }
  }

  @Test("an unknown variable is reported with the closest known name")
  func unknown() {
    #expect(
      complaints("variables: { level: 1 }\nsteps: [connect]", bindings(("levl", "2"))) == [
        "c:1:12: variables: unknown variable 'levl', given by --set "
          + "(did you mean 'level'?)"
      ]
    )
  }

  @Test("a column that the chain does not use is ignored")
  func columns() throws {
    var row = Bindings()
    row.bind("pause", to: "2s", from: "devices.csv:2")
    row.bind("room", to: "kitchen", from: "devices.csv:2")
    let plan = try Plan.parse("steps:\n- sleep: '{pause}'", file: "c", with: row)
    #expect(plan.steps[0].title == "sleep 2s")
  }

  @Test("only the environment variables named in the file are read")
  func environment() throws {
    let text = """
      environment: [PAUSE]
      variables: { PAUSE: { type: duration, default: 1s } }
      steps: [ { sleep: "{PAUSE}" } ]
      """
    let template = try ChainTemplate.parse(text, file: "c")
    let asked = Guarded<[String]>([])
    func plan(_ bindings: Bindings, _ value: String?) throws -> Plan {
      try template.plan(with: bindings) { name in
        asked.withLock { $0.append(name) }
        return value
      }
    }
    #expect(try plan(Bindings(), "3s").steps[0].title == "sleep 3s")
    #expect(try plan(Bindings(), nil).steps[0].title == "sleep 1s")
    #expect(try plan(bindings(("PAUSE", "5s")), "3s").steps[0].title == "sleep 5s")
    #expect(asked.withLock { $0 } == ["PAUSE", "PAUSE"])
    #expect(
      complaints("environment: [HOME]\nsteps: [connect]") == [
        "c:1:15: environment.1: the environment variable HOME is not set "
          + "(expected a value, or a default under 'variables')"
      ]
    )
    #expect(complaints("steps:\n- sleep: '{HOME}'").count == 1)
  }

  @Test("an error in a value from the environment does not repeat the value")
  func secret() throws {
    let text = "environment: [A]\nvariables: { A: { type: integer } }\nsteps: [connect]"
    let template = try ChainTemplate.parse(text, file: "c")
    do {
      _ = try template.plan { _ in "s3cret" }
      Issue.record("it is not a number")
    } catch {
      #expect(!"\(error)".contains("s3cret") && "\(error)".contains("a whole number"))
    }
  }

  @Test("substituted values cannot grow a file beyond its limit")
  func bound() {
    let text =
      "variables: { a: \(String(repeating: "x", count: 4000)) }\nsteps:\n"
      + String(repeating: "- log: '\(String(repeating: "{a}", count: 100))'\n", count: 20)
    #expect(complaints(text).count == 1)
    #expect(
      complaints(text)[0].contains("the values of the variables are longer than 4194304 bytes")
    )
  }

  // MARK: One line

  @Test("a one-line chain accepts values too, each within its word")
  func line() throws {
    var given = bindings(("target", "battery-level"), ("text", "a; disconnect"), ("least", "20"))
    let line = "read {target} as b expect percent>={least}; log \"{text} {{b}} {b}\""
    let plan = try Plan.parse(line: line, with: given)
    #expect(
      plan.steps.map(\.description) == [
        "read battery-level as b expect percent >= 20", "log \"a; disconnect {{b}} {b}\"",
      ]
    )
    given.bind("tariff", to: "1", from: "--set", mustBeKnown: true)
    #expect(throws: DocumentErrors.self) { try Plan.parse(line: line, with: given) }
    #expect(throws: DocumentErrors.self) {
      try Plan.parse(line: "read battery-level {word} b", with: bindings(("word", "as")))
    }
  }
}
