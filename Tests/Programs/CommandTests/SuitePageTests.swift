// The examples of docs/nrf-connect.md do what the page says.

import Fixtures
import Foundation
import Glibc
import Testing

@Suite("docs/nrf-connect.md", .blocking)
struct SuitePageTests {
  private let folder: TemporaryFolder
  private let battery: String

  init() throws {
    folder = try TemporaryFolder()
    battery = try folder.file(
      "battery.xml", try Example(in: "docs/nrf-connect.md").blocks("xml")[0]
    )
  }

  private let cell = ["--simulate", "Simulators/devices/battery.yaml"]

  private func run(_ arguments: [String]) throws -> RunningProgram.Ended {
    try RunningProgram(blerun: arguments).end()
  }

  @Test("every command on the page that needs no radio succeeds")
  func commands() throws {
    let page = try String(contentsOfFile: projectFolder + "/docs/nrf-connect.md", encoding: .utf8)
    let commands = page.split(separator: "\n").filter { $0.hasPrefix("    blerun ") }
      .map { $0.split(separator: " ").dropFirst().map(String.init) }
      .filter { $0.contains { $0.hasPrefix("docs/") } || $0[0] == "history" }
    #expect(commands.count == 11)
    for name in ["docs", "Simulators"] {
      symlink("\(projectFolder)/\(name)", "\(folder.path)/\(name)")
    }
    for command in commands {
      let run = try RunningProgram(blerun: command, in: folder.path).end()
      #expect(run.status == 0, "\(command) \(run.output) \(run.errors)")
      #expect(!run.output.isEmpty)
    }
  }

  @Test("the small suite runs, and standard error shows its warning with the place")
  func small() throws {
    let run = try run(["run", battery, "-E", "ADDRESS", "C0:FF:EE:00:00:03"] + cell)
    #expect(run.status == 0, "\(run.output) \(run.errors)")
    let page = try String(contentsOfFile: projectFolder + "/docs/nrf-connect.md", encoding: .utf8)
    let shown = run.output.split(separator: "\n").dropFirst().map { "    \($0)" }
    #expect(shown.count == 7 && page.contains(shown.joined(separator: "\n")), "\(run.output)")
    #expect(run.errors.contains("blerun: warning: \(battery):6:5: read: Half full: the value is"))
  }

  @Test("a missing variable makes the file invalid, and the suite does not begin")
  func missing() throws {
    let run = try run(["run", battery] + cell)
    #expect(run.status == 65)
    #expect(run.errors.contains("battery.xml:2:21: target.address: ${ADDRESS} has no value"))
    #expect(try self.run(["check", battery]).status == 65)
    let good = try self.run(["check", battery, "-E", "ADDRESS=C0:FF:EE:00:00:03"])
    #expect(good.output.hasSuffix("battery.xml: 1 test, 3 operations, ok\n"))
  }

  @Test("a variable that no suite uses is an error, with the nearest one")
  func unusedVariable() throws {
    let given = ["-E", "ADRESS", "x", "-E", "ADDRESS=C0:FF:EE:00:00:03"]
    for command in [["run", battery] + given + cell, ["check", battery] + given] {
      let ended = try run(command)
      #expect(ended.status == 65 && ended.output == "", "\(command)")
      let error = "unknown variable 'ADRESS', given by -E (did you mean 'ADDRESS'?)"
      #expect(ended.errors.contains(error), "\(ended.errors)")
    }
    // Of several suites, any may use it.
    let several = ["check", battery, "docs/examples/nordic/heart-rate.xml"]
    #expect(try run(several + given.suffix(2)).status == 0)
    let chain = try run(["run", "-e", "read battery-level", "-E", "LEVEL", "1"] + cell)
    #expect(chain.status == 2 && chain.errors.contains("--set LEVEL=…"), "\(chain.errors)")
    let suite = try run(["run", battery, "--set", "ADDRESS=x"] + cell)
    #expect(suite.status == 2 && suite.errors.contains("-E ADDRESS VALUE"), "\(suite.errors)")
  }

  @Test("an option after the key of -E is not its value", arguments: ["--quiet", "-q"])
  func missingValue(option: String) throws {
    let ended = try run(["run", battery, "-E", "ADDRESS", option] + cell)
    #expect(ended.status == 2 && ended.output == "", "\(ended.output)")
    #expect(ended.errors.contains("-E takes a key and a value: -E ADDRESS "), "\(ended.errors)")
  }

  @Test("-d sets the device of a target without an address, and JSON has one object on each line")
  func device() throws {
    let suite = try folder.file(
      "open.xml",
      """
      <test-suite><target id="a"/><test id="t" target="a"><connect/><dfu file="a.zip"/></test>
      <run-test ref="t"/></test-suite>
      """
    )
    let run = try run(["run", suite, "-d", "Battery*", "--output", "json"] + cell)
    #expect(run.status == 1, "\(run.errors)")
    let lines = run.output.split(separator: "\n")
    for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
    #expect(lines.last?.contains("\"failed\":1") == true)
    let lenient = try self.run(["run", suite, "-d", "Battery*", "--warn-unsupported"] + cell)
    #expect(lenient.status == 0, "\(lenient.output)")
  }

  @Test("a suite of several tests becomes one chain for each test, and check accepts them")
  func conversion() throws {
    let suite = "docs/examples/nordic/heart-rate.xml"
    #expect(try run(["convert", suite]).status == 2)
    #expect(try run(["convert", suite, "--test", "3"]).status == 2)
    let chains = folder.path + "/chains"
    let converted = try run(["convert", suite, "--into", chains])
    #expect(converted.status == 0 && converted.errors.contains("heart-rate.xml:"))
    for name in ["1-find", "2-measure"] {
      let check = try run(["check", "\(chains)/\(name).yaml"])
      #expect(check.status == 0, "\(check.errors)")
    }
    let one = try run(["convert", suite, "--test", "2"])
    #expect(one.output.contains("hex: \"01\""))
  }

  @Test(
    "chains that cannot be written are reported with the reason",
    arguments: [
      ("none/chains", "none/chains cannot be made: its folder does not exist. Try: "),
      (".", "1-find.yaml could not be written: No space left on device. Try: "),
    ]
  )
  func unwritten(into: String, reason: String) throws {
    let full = folder.path + "/1-find.yaml"
    try FileManager.default.createSymbolicLink(atPath: full, withDestinationPath: "/dev/full")
    let suite = "docs/examples/nordic/heart-rate.xml"
    let ended = try run(["convert", suite, "--into", "\(folder.path)/\(into)"])
    #expect(ended.status == 74 && ended.errors.contains(reason), "\(ended.errors)")
    #expect(!ended.errors.contains("wrote"))
  }

  @Test("a signal ends a suite, which disconnects")
  func interrupted() throws {
    let suite = try folder.file(
      "long.xml",
      """
      <test-suite><target id="a" address="C0:FF:EE:00:00:03"/>
      <test id="t" target="a"><connect/><sleep timeout="60000"/></test>
      <run-test ref="t"/><run-test ref="t"/></test-suite>
      """
    )
    let program = try RunningProgram(blerun: ["run", suite, "--real-time"] + cell)
    try program.waitForOutput("connect  ok")
    program.send(SIGINT)
    let run = program.end()
    #expect(run.status == 130)
    #expect(run.output.contains("0 of 2 tests passed, 1 cancelled, 1 not run"), "\(run.output)")
  }
}
