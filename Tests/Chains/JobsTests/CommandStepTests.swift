// `command`: the input of the program, the use of its output, and where it may not run.

import Bluetooth
import Documents
import Fixtures
import Signals
import Testing

@testable import Jobs

@Suite("Commands in chains")
struct CommandStepTests {
  let bench = RunBench()

  /// Runs steps with programs that print `output`.
  ///
  /// - Returns: The program calls, and the failure of the run.
  private func run(
    _ line: String, printing output: String = "", allowed: AllowedCommands = .all,
    failing failure: CommandStep.Failure? = nil
  ) throws -> (calls: [CommandStep.Call], failure: RunFailure?) {
    let calls = Recorded<CommandStep.Call>()
    var plan = try Plan.parse(line: line)
    plan.allowedCommands = allowed
    var runner = bench.runner(plan)
    runner.runCommand = { call in
      calls.add(call)
      if let failure { throw failure }
      return Array(output.utf8)
    }
    let ending = try runner.ending().firstOrThrow(within: .seconds(1000))
    return (calls.all, ending.failure)
  }

  @Test("captured values become arguments and input without units, each as a single argument")
  func arguments() throws {
    bench.device.answer("read device-name", .value(Array("a 'b'; $(c)".utf8)))
    let (calls, failure) = try run(
      """
      read temperature-measurement as t; read device-name as name
      command ./respond with -c with {t.celsius} with "{name}" input "{t.celsius} it is" within 5s
      """
    )
    #expect(failure == nil)
    let call = try #require(calls.first)
    #expect(call.program == "./respond" && call.arguments == ["-c", "36.6", "a 'b'; $(c)"])
    #expect(String(decoding: call.input, as: UTF8.self) == "36.6 it is")
    #expect(call.limit == .seconds(5) && call.file == nil && calls.count == 1)
  }

  @Test("a stream becomes one line of JSON for each value, or its bytes")
  func streams() throws {
    bench.device.notify("heart-rate-measurement", [60, 62].map { (.seconds(1), [0, $0]) })
    let notify = "notify heart-rate-measurement until 2x as log"
    let inputs = [
      "lines:{log.values}", "lines:{log.values.bpm}", "lines:{log.bpm}", "bytes:{log.bytes}",
    ]
    let line = ([notify] + inputs.map { "command ./check input \($0)" }).joined(separator: "; ")
    let (calls, failure) = try run(line)
    #expect(failure == nil)
    #expect(
      calls.map { String(decoding: $0.input, as: UTF8.self) } == [
        "{\"bpm\":60}\n{\"bpm\":62}\n", "60\n62\n", "62\n", "\u{0}<\u{0}>",
      ]
    )
    let plan = try Plan.parse(
      """
      steps:
      - { notify: heart-rate-measurement, until: { count: 2 }, as: log }
      - { command: ./check, input: { lines: "{log.values}" } }
      - { command: ./check, input: { bytes: "{log.bytes}" } }
      """, file: "c"
    )
    #expect(
      plan.steps.dropFirst().map(\.description) == [
        "command ./check input lines:{log.values}", "command ./check input bytes:{log.bytes}",
      ]
    )
  }

  @Test("an input that is no bytes, or no form of an input, is an error")
  func wrongInput() throws {
    let line = "command ./x format json as v; command ./x input bytes:{v.id}"
    let failure = try run(line, printing: "{\"id\": 7}").failure
    #expect(failure?.why == "'v.id' is not bytes")
    #expect(failure?.hint == "name the bytes: {v.bytes}")
    for (path, kind) in [("log.percent", "a number"), ("log.values", "a list")] {
      let found = Plan.complaints(
        """
        steps:
        - { notify: battery-level, until: { count: 1 }, as: log }
        - { command: ./x, input: { bytes: "{\(path)}" } }
        """
      )
      #expect(
        found.count == 1
          && found[0].contains("'\(path)' is \(kind) (expected bytes such as {log.bytes})"),
        "\(found)"
      )
    }
    let found = Plan.complaints("steps: [{ command: ./x, input: { line: '{a}' } }]")
    #expect(
      found.count == 1
        && found[0].contains(
          "expected a text, { lines: '{log.values}' } or { bytes: '{log.bytes}' }"),
      "\(found)"
    )
  }

  @Test(
    "the output is decoded in the given format and becomes the value",
    arguments: [
      ("text", "two lines\nof text\n", "two lines\nof text"), ("text", "", ""),
      ("text", "a\r\n", "a"),
      ("hex", " 0a 1B\n2c\n", "0a1b2c"),
      ("json", "{\"key\": {\"id\": 7}, \"on\": true}\n", "key id 7, on yes"),
      ("json", "[1, 2.50, true]", "1, 2.50, yes"),
      ("json", "12345678901234567890", "12345678901234567890"),
    ]
  )
  func formats(_ format: String, _ output: String, _ value: String) throws {
    #expect(try run("command x format \(format) as v", printing: output).failure == nil)
    #expect(bench.ending?.captured["v"]?.description == value)
  }

  @Test("JSON fields of the output can be compared and used by later steps")
  func fields() throws {
    let line = "command x format json as v expect id = 7; write alert-level u8:{v.id}"
    #expect(try run(line, printing: "{\"id\": 7}").failure == nil)
    #expect(bench.device.calls.contains("write alert-level 07"))
    let failure = try run("command x format json expect id > 7", printing: "{\"id\": 7}").failure
    #expect(failure?.code == .expectationNotMet)
  }

  @Test(
    "unusable output fails the step, and the failure quotes it",
    arguments: [
      ("hex", "0a1", "it printed '0a1', and not pairs of hexadecimal digits"),
      ("hex", "", "it printed nothing, and not pairs of hexadecimal digits"),
      ("json", "{", "it printed '{', and not one JSON value"),
      ("json", "null", "it printed 'null', and not a value"),
      ("json", "{\"a\": 1, \"a\": 2}", "it printed the member 'a' twice"),
    ]
  )
  func useless(_ format: String, _ output: String, _ why: String) throws {
    let failure = try run("command x format \(format)", printing: output).failure
    #expect(failure?.code == .commandFailed && failure?.class == .definite)
    #expect(failure?.why.hasPrefix(why) == true, "\(failure?.why ?? "")")
  }

  @Test("a program that fails is the failure of its step, which may be expected")
  func fails() throws {
    let reason = CommandStep.Failure("it ended with status 3: no such key")
    let failure = try run("command ./key; read battery-level", failing: reason).failure
    #expect(failure?.message == "running ./key: it ended with status 3: no such key")
    #expect(!bench.device.calls.contains("read battery-level"))
    #expect(try run("command x expect error = command-failed", failing: reason).failure == nil)
  }

  @Test("without permission no step of the chain runs")
  func notAllowed() throws {
    let line = "read battery-level; repeat 2 { command ./key }"
    let (calls, failure) = try run(line, allowed: .none)
    #expect(failure?.code == .commandFailed && failure?.source?.column == 32)
    #expect(calls.isEmpty && bench.device.calls.isEmpty)
    try bench.run(line)
    #expect(bench.ending?.failure?.code == .commandFailed && bench.device.calls.isEmpty)
  }

  @Test("an included file runs programs from its own folder, under the rules of the chain")
  func included() throws {
    let folder = try FolderOfFiles([
      "main.yaml": "steps: [ { command: ./a }, { include: lib/b.yaml } ]\n",
      "lib/b.yaml": "- command: ./b\n",
    ])
    let plan = try folder.plan()
    #expect(plan.commands.map(\.command.program) == ["./a", "./b"])
    #expect(plan.commands.map(\.step.sourceFile) == ["main.yaml", "lib/b.yaml"].map(folder.file))
    let line = try Plan.parse(
      line: "include lib/b.yaml", file: folder.path + "/-e", with: Bindings(), names: .assigned,
      includesFiles: true
    )
    #expect(line.commands.map(\.step.sourceFile) == [folder.file("lib/b.yaml")])
    #expect(plan.allowedCommands == .none)
    bench.run(plan)
    #expect(bench.ending?.failure?.code == .commandFailed && bench.device.calls.isEmpty)
  }

  @Test("a list means a program followed by its arguments")
  func list() throws {
    func plan(_ step: String) throws -> Plan {
      try Plan.parse("steps: [ { read: battery-level, as: b }, \(step) ]", file: "c.yaml")
    }
    let list = try plan("{ command: [sh, -c, 'echo {b.percent}'], format: text }")
    let long = try plan("{ command: sh, arguments: [-c, 'echo {b.percent}'] }")
    #expect(list.lines == long.lines)
    #expect(try plan("{ command: [./key] }").lines == plan("{ command: ./key }").lines)
    for wrong in [
      "{ command: [sh, -c], arguments: [x] }", "{ command: [] }", "{ command: ['{b}', x] }",
      "{ command: [[sh], x] }",
    ] {
      let error = #expect(throws: DocumentErrors.self) { try plan(wrong) }
      #expect(error?.problems.count == 1, "\(wrong): \(error?.problems ?? [])")
    }
  }
}

extension FolderOfFiles {
  fileprivate func file(_ name: String) -> String { "\(path)/\(name)" }
}
