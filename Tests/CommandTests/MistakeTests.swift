// Mistakes on the command line and in files: what is printed, on which stream, and the exit status.

import Fixtures
import Foundation
import Testing

@Suite("Mistakes", .blocking)
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

  // MARK: The place of a mistake

  @Test("a mistake after -e is shown with the steps, and a mark under its place")
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

  @Test("the line of several that has the mistake is shown, shortened around it, wide letters too")
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

  @Test("a step that fails is shown the same way, also in a report; a line with a passkey is not")
  func failedStep() throws {
    let ended = try run(line: "read battery-level; write battery-level u8:1")
    #expect(ended.status == 1)
    let lines = ended.lines
    let place = try #require(lines.firstIndex(of: "   where  -e:1:21"))
    #expect(
      lines[(place + 1)...].prefix(2) == [
        "          read battery-level; write battery-level u8:1",
        "                              ^",
      ]
    )
    let wrong = try run(line: "pair passkey 042137; reed x")
    #expect(wrong.status == 65 && !wrong.errors.contains("042137"))
    for line in ["pair passkey=042137", "pair pasky=042137", "pair paskey 042137", "pair 042137"] {
      let misspelt = try run(line: line)
      #expect(misspelt.status == 65 && !misspelt.errors.contains("042137"), "\(misspelt.errors)")
    }
    for words in [["passkey=042137"], ["pin:042137"], ["042137"], ["-d", "Thermo-1", "042137"]] {
      let misplaced = try blerun(["pair"] + words + ["--simulate", Self.thermometer])
      #expect(misplaced.status == 2 && !misplaced.errors.contains("042137"), "\(misplaced.errors)")
    }
  }

  @Test("check reports where a chain names a device or a characteristic that is not simulated")
  func notSimulated() throws {
    let chain = try folder.file(
      "lamp.yaml",
      "name: x\ndevice:\n  name: Lamp-1\nsteps:\n  - read: battery-level\n  - read: ff01\n"
    )
    let ended = try blerun([
      "check", chain, "-e", "connect; read heart-rate/body-sensor-location", "--simulate",
      Self.thermometer,
    ])
    #expect(ended.status == 65)
    let lines = ended.errors.split(separator: "\n").map(String.init)
    #expect(lines.first?.hasPrefix("blerun: \(chain):3:3: device: no simulated device") == true)
    #expect(
      lines.dropFirst() == [
        "blerun: \(chain):6:5: no simulated device has ff01",
        "blerun: -e:1:10: no simulated device has heart-rate/body-sensor-location",
        "  connect; read heart-rate/body-sensor-location", "           ^",
      ],
      "\(lines)"
    )
  }

  @Test(
    "check reports what a simulated characteristic does not offer, unless the step is to fail"
  )
  func notOffered() throws {
    let device = try folder.file(
      "device.yaml",
      """
      address: C0:FF:EE:00:00:09
      services:
        - service: fff0
          characteristics:
            - { characteristic: fff1, properties: [write-without-response] }
            - { characteristic: fff2, properties: [write] }
            - { characteristic: fff3, properties: [] }
            - { characteristic: fff4, properties: [authenticated-signed-writes] }
            - { characteristic: fff5, properties: [read, notify], value: { u8: 1 } }
      """
    )
    let chain = try folder.file(
      "chain.yaml",
      """
      steps:
        - { write: fff1, value: { u8: 1 }, kind: request }
        - { write: fff1, value: { u8: 1 }, kind: request, expect: { error: any } }
        - { write: fff2, value: { u8: 1 }, kind: command }
        - { write: fff2, value: { u8: 1 }, delivery: acquire }
        - { write: fff2, value: { u8: 1 }, kind: reliable }
        - { write: fff3, value: { u8: 1 } }
        - { write: fff4, value: { u8: 1 } }
        - { read: fff2 }
        - { poll: fff1, every: 1s, until: { count: 1 } }
        - { notify: fff2, until: { count: 1 } }
        - repeat: 2
          steps: [ { exchange: fff5, value: { u8: 1 } } ]
        - combine: [ { notify: fff5, as: a }, { poll: fff3, every: 1s, as: b } ]
          for: 1s
      """
    )
    let ended = try blerun(["check", chain, "--simulate", device])
    #expect(ended.status == 65)
    let lines = ended.errors.split(separator: "\n").map {
      $0.replacing("blerun: \(chain):", with: "")
    }
    let others = "; write with kind"
    #expect(
      lines == [
        "2:5: fff1 cannot be written with response; it supports write-without-response\(others) 'command'",
        "4:5: fff2 cannot be written without response; it supports write\(others) 'request'",
        "5:5: fff2 cannot be written without response; it supports write\(others) 'request', "
          + "each with a call",
        "7:5: fff3 cannot be written; it supports nothing",
        "9:5: fff2 cannot be read; it supports write",
        "10:5: fff1 cannot be read; it supports write-without-response",
        "11:5: fff2 sends neither notifications nor indications; it supports write",
        "13:14: fff5 cannot be written; it supports read, notify",
        "14:5: fff3 cannot be read; it supports nothing",
      ],
      "\(lines)"
    )
  }

  // MARK: Words that mean something else

  @Test(
    "a misspelt command has a suggestion, also after help",
    arguments: [
      (["rum"], "unknown command 'rum' (did you mean 'run'?)"),
      (["help", "rn"], "unknown command 'rn' (did you mean 'run'?)"),
      (["history", "shwo", "1"], "unknown command 'history shwo' (did you mean 'show'?)"),
      (["help", "history", "exprot"], "unknown command 'history exprot' (did you mean 'export'?)"),
    ]
  )
  func commands(arguments: [String], message: String) throws {
    let ended = try blerun(arguments)
    #expect(ended.status == 2 && ended.output == "")
    #expect(ended.errors == "blerun: \(message)\n")
  }

  @Test("a word that is near no command lists them")
  func strangeCommand() throws {
    let ended = try blerun(["frobnicate"])
    #expect(ended.status == 2)
    #expect(ended.errors.contains(" run, batch, simulate, "), "\(ended.errors)")
  }

  @Test("a file of another kind is recognised, with the command that reads it")
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

  @Test("a command after the definitions of simulate needs --")
  func simulatedCommand() throws {
    let ended = try blerun(["simulate", Self.thermometer, "bluetoothctl", "list"])
    #expect(ended.status == 2 && ended.output == "")
    #expect(
      ended.errors == "blerun: bluetoothctl: no such file; a command follows --: "
        + "blerun simulate \(Self.thermometer) -- bluetoothctl list\n"
    )
    // The options are those of the command.
    let shell = try blerun(["simulate", "--seed", "7", Self.thermometer, "sh", "-c", "echo it's"])
    #expect(shell.status == 2 && shell.output == "")
    #expect(
      shell.errors == "blerun: sh: no such file; a command follows --: "
        + "blerun simulate --seed 7 \(Self.thermometer) -- sh -c 'echo it'\\''s'\n"
    )
    // The word may be the value of an option that simulate does not have.
    let option = try blerun(["simulate", Self.thermometer, "--bus-log", "bus.txt"])
    #expect(option.status == 2 && option.errors.contains("--bus-log"), "\(option.errors)")
    #expect(!option.errors.contains("a command follows"), "\(option.errors)")
  }

  @Test("a duration without a unit, and the word of another place, have what is meant")
  func meant() throws {
    let ended = try blerun(["scan", "--for", "5"])
    #expect(ended.status == 2)
    #expect(
      ended.errors.hasPrefix(
        "blerun: The value '5' is invalid for '--for <time>': add a unit: 5s\n"
      ),
      "\(ended.errors)"
    )
    let file = try run(file: "steps: [ { read: battery-level, retry: 3 } ]")
    #expect(file.errors.hasSuffix("unknown key 'retry' (did you mean 'attempts'?)\n"))
    let line = try run(line: "read battery-level retry=3")
    #expect(line.errors.contains("(did you mean 'attempts'?)"), "\(line.errors)")
    let name = try blerun(["read", "bolt", "-d", "x"])
    #expect(name.status == 65)
    for word in ["--names", "UUID", "handle"] { #expect(name.errors.contains(word)) }
  }

  // MARK: The same mistake in both forms

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

  @Test("has the same exit status", arguments: same.indices)
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

  @Test("no named device is wrong usage, whatever should have named it")
  func noDevice() throws {
    let chain = try folder.file("chain.yaml", "steps: [ connect ]\n")
    for arguments in [["read", "battery-level"], ["run", chain], ["run", "-e", "connect"]] {
      let ended = try blerun(arguments)
      #expect(ended.status == 2 && ended.errors.contains("no device is named"), "\(arguments)")
    }
  }

  @Test("wrong usage begins with the name of the program, too")
  func usage() throws {
    let ended = try blerun(["run", "x.yaml", "--no-such-option"])
    #expect(ended.status == 2 && ended.output == "")
    #expect(ended.errors.hasPrefix("blerun: Unknown option '--no-such-option'"), "\(ended.errors)")
    #expect(ended.errors.contains("Usage: blerun run"))
  }
}
