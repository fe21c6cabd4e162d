// Errors on the command line and in files: the message, its stream, and the exit status.

import Fixtures
import Foundation
import Testing

@Suite("Error messages", .blocking)
struct MistakeTests {
  private static let thermometer = "Simulators/devices/thermometer.yaml"
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func blerun(_ arguments: [String]) throws -> RunningProgram.Ended {
    try RunningProgram(blerun: arguments).end()
  }

  private func run(line: String, _ arguments: String...) throws -> RunningProgram.Ended {
    try blerun(["run", "-e", line, "--simulate", Self.thermometer] + arguments)
  }

  private func run(file text: String) throws -> RunningProgram.Ended {
    try blerun(["run", try folder.file("chain.yaml", text), "--simulate", Self.thermometer])
  }

  // MARK: The position of an error

  @Test("an error after -e is shown with the steps and a mark under its position")
  func excerpt() throws {
    for command in [["run"], ["check"]] {
      let line = "read battery-level; reed x"
      let ended = try blerun(command + ["-e", line, "--simulate", Self.thermometer])
      #expect(ended.status == 65 && ended.output == "")
      #expect(
        ended.errors == """
          blerun: -e:1:21: unknown step 'reed' (did you mean 'read'?)
            read battery-level; reed x
                                ^

          """
      )
    }
  }

  @Test("only the faulty line is shown, shortened around the error, even with wide characters")
  func longExcerpt() throws {
    let start = "log \"\(String(repeating: "温", count: 20))\"; sleep 1s; "
    let line = "sleep 1s\n" + start + "sleep 5; " + String(repeating: "sleep 1s; ", count: 9)
    let lines = try run(line: line).errors.split(separator: "\n").map(String.init)
    #expect(lines.count == 3, "\(lines)")
    #expect(lines[0].hasPrefix("blerun: -e:2:\(start.count + 7): expected a duration"))
    let before = try #require(lines[1].firstRange(of: "sleep 5"))
    let columns = lines[1][..<before.lowerBound].reduce(0) { $0 + ($1 == "温" ? 2 : 1) }
    #expect(lines[2] == String(repeating: " ", count: columns + 6) + "^")
    #expect(lines[1].count <= 76 && lines[1].hasSuffix("…"), "\(lines[1])")
  }

  @Test("a failed step is shown the same way, even in a report, but not if its line has a passkey")
  func failedStep() throws {
    let ended = try run(line: "read battery-level; write battery-level u8:1")
    #expect(ended.status == 1)
    let shown = ended.lines
    let place = try #require(shown.firstIndex(of: "   where  -e:1:21"))
    #expect(
      shown[(place + 1)...].prefix(2) == [
        "          read battery-level; write battery-level u8:1",
        "                              ^",
      ]
    )
    let wrong = try run(line: "pair passkey 042137; reed x")
    #expect(wrong.status == 65 && !wrong.errors.contains("042137"))
    let lines = ["pair passkey=042137", "pair pasky=042137", "pair paskey 042137", "pair 042137"]
    let misspelt = try blerun(["check"] + lines.flatMap { ["-e", $0] })
    #expect(misspelt.errors.components(separatedBy: "blerun: -e:1:").count == 5)
    #expect(misspelt.status == 65 && !misspelt.errors.contains("042137"), "\(misspelt.errors)")
  }

  // MARK: Words that mean something else

  @Test("a file of the wrong kind is recognised, and the command that reads it is suggested")
  func kinds() throws {
    let chain = "docs/examples/thermometer.yaml"
    let batch = "Tests/Golden/batches/list.yaml"
    let suite = "docs/examples/nordic/lamp.xml"
    let rows: [(arguments: [String], advice: String)] = [
      (["run", Self.thermometer], "use --simulate \(Self.thermometer)"),
      (["run", batch], "use blerun batch \(batch)"),
      (["run", chain, batch], "use blerun batch \(batch)"),
      (["batch", Self.thermometer], "use --simulate \(Self.thermometer)"),
      (["batch", chain], "use blerun run \(chain)"),
      (["batch", suite], "use blerun run \(suite)"),
      (["run", chain, "--simulate", chain], "--simulate takes a device or scenario"),
      (["simulate", batch, "--", "true"], "this is a batch: simulate takes a device or scenario"),
    ]
    for (arguments, advice) in rows {
      let ended = try blerun(arguments)
      #expect(ended.status == 65 && ended.output == "", "\(arguments)")
      #expect(ended.errors.hasSuffix("\(advice)\n"), "\(arguments): \(ended.errors)")
      #expect(ended.errors.split(separator: "\n").count == 1, "\(arguments): \(ended.errors)")
    }
  }

  @Test("a batch with a misspelt 'chain' is still read as a batch")
  func misspeltChain() throws {
    let folder = try TemporaryFolder()
    let batch = try folder.file(
      "night.yaml", "chian: update.yaml\ndevices: [ SMP-1 ]\nconcurrency: 2\n"
    )
    let ended = try blerun(["batch", batch])
    #expect(ended.status == 65)
    #expect(ended.errors.contains("unknown key 'chian' (did you mean 'chain'?)"), "\(ended.errors)")
    #expect(!ended.errors.contains("--simulate"), "\(ended.errors)")
  }

  // MARK: The same error in both forms

  /// The rows of the table in docs/output.md: arguments, a file with the same mistake, the status.
  private static let same: [(arguments: [String], file: String, status: Int32)] = [
    (["run", "-e", "raed battery-level"], "steps: [ { raed: battery-level } ]", 65),
    (["run", "-e", "read batery-level"], "steps: [ { read: batery-level } ]", 65),
    (["read", "batery-level"], "steps: [ { read: batery-level } ]", 65),
    (
      ["write", "alert-level", "u8:300"],
      "steps: [ { write: alert-level, value: { u8: 300 } } ]", 65
    ),
    (
      ["run", "-e", "write alert-level u8:300"],
      "steps: [ { write: alert-level, value: { u8: 300 } } ]", 65
    ),
    (["read", "battery-level", "-d", "C0:FF:EE"], "device: 'C0:FF:EE'\nsteps: [ connect ]", 65),
    (["inspect", "-d", ""], "device: ''\nsteps: [ connect ]", 65),
    (["run", "-e", "sleep 5"], "steps: [ { sleep: 5 } ]", 65),
    (["run", "-e", "connect", "--set", "levle=1"], "steps: [ { log: '{levle}' } ]", 65),
    (["run", "missing.yaml"], "steps: [ { include: missing.yaml } ]", 65),
    (
      ["pair", "--passkey-file", "missing"],
      "steps: [ { pair: { passkey: { file: missing } } } ]", 65
    ),
    (
      ["read", "battery-level", "-d", "Nobody"],
      "device: Nobody\nsteps: [ { read: battery-level } ]", 75
    ),
    (
      ["run", "-e", "read battery-level expect percent > 99"],
      "steps: [ { read: battery-level, expect: { percent: { above: 99 } } } ]", 1
    ),
  ]

  @Test(
    "an error has the same exit status on the command line and in a file", arguments: same.indices
  )
  func sameStatus(index: Int) throws {
    let (arguments, text, status) = Self.same[index]
    let typed = try blerun(arguments + ["--simulate", Self.thermometer])
    #expect(typed.status == status, "\(typed.errors)")
    let written = try run(file: text)
    #expect(written.status == status, "\(written.errors)")
    for ended in [typed, written] where status == 65 {
      #expect(ended.output == "" && ended.errors.hasPrefix("blerun: "), "\(ended.errors)")
    }
  }

  @Test("a missing device is a usage error for every command")
  func noDevice() throws {
    let chain = try folder.file("chain.yaml", "steps: [ connect ]\n")
    for arguments in [["read", "battery-level"], ["run", chain], ["run", "-e", "connect"]] {
      let ended = try blerun(arguments)
      #expect(ended.status == 2 && ended.errors.contains("no device is named"), "\(arguments)")
    }
  }
}
