// --quiet, --verbose, --color and the announcement of simulated runs, in both streams of the binary.

import Fixtures
import Foundation
import Testing

@Suite("Quiet and verbose output", .blocking)
struct VerbosityTests {
  private static let thermometer = ["--simulate", "Simulators/devices/thermometer.yaml"]

  private func run(_ arguments: String...) throws -> RunningProgram.Ended {
    try blerun(["run"] + arguments + Self.thermometer)
  }

  @Test("--quiet prints only data and failures")
  func quiet() throws {
    let steps = "read battery-level; write alert-level u8:1; log done; write battery-level u8:1"
    let failed = try run("--quiet", "-e", steps)
    #expect(failed.errors == "")
    #expect(failed.status == 1)
    #expect(
      failed.lines.filter { !$0.hasPrefix("   ") } == [
        "1  read battery-level  87 %", "3  log  done", "4  write battery-level u8:1  failed",
        try #require(failed.lines.last),
      ]
    )
    #expect(failed.lines.last?.hasPrefix("failed at step 4 after 3 steps") == true)
    let done = try run("-q", "-e", "write alert-level u8:1")
    #expect(done.output == "" && done.errors == "" && done.status == 0)
  }

  @Test("-q prints only the values and failures of an nRF Connect suite")
  func quietSuite() throws {
    let suite = ["run", "docs/examples/nordic/heart-rate.xml"]
    let simulated = ["--simulate", "Simulators/devices/heart-rate.yaml"]
    let loud = try blerun(suite + simulated)
    let quiet = try blerun(suite + ["-q"] + simulated)
    #expect(loud.status == 0 && quiet.status == 0, "\(loud.errors)")
    #expect(quiet.errors == "" && !quiet.lines.isEmpty)
    #expect(quiet.lines.count < loud.lines.count)
    #expect(quiet.lines.allSatisfy { loud.lines.contains($0) }, "\(quiet.output)")
    #expect(!quiet.output.contains("  connect"), "\(quiet.output)")

    let folder = try TemporaryFolder()
    let text = try String(contentsOfFile: projectFolder + "/" + suite[1], encoding: .utf8)
    let wrong = try folder.file("wrong.xml", text.replacing("value=\"01\"", with: "value=\"02\""))
    let failed = try blerun(["run", wrong, "-q"] + simulated)
    #expect(failed.status == 1 && failed.errors == "", "\(failed.errors)")
    #expect(failed.output.contains("   why  "), "\(failed.output)")
  }

  @Test("--quiet does not change JSON")
  func quietJSON() throws {
    let steps = ["--output", "json", "-e", "write alert-level u8:1"]
    let outputs = try [[], ["--quiet"]].map { option in
      try blerun(["run"] + option + steps + Self.thermometer).output
    }
    #expect(outputs[0] == outputs[1] && outputs[0].contains("run-finished"))
  }

  @Test("failures are also printed with --quiet")
  func quietFailure() throws {
    let missing = try blerun("read", "-q", "battery-level", "-d", "Nobody", "--simulate", "nowhere")
    #expect(missing.errors.hasPrefix("blerun: "))
    let read = try blerun(["read", "-q", "--descriptor", "battery-level/2904"] + Self.thermometer)
    #expect(read.status == 1)
    #expect(read.errors.hasPrefix("blerun: reading battery-level/"), "\(read.errors)")
  }

  @Test("--verbose prints each call to BlueZ and its answer, with the time of the loop")
  func verbose() throws {
    let ended = try run("--verbose", "-e", "read battery-level")
    #expect(ended.status == 0)
    let lines = ended.errors.split(separator: "\n").map(String.init)
    #expect(lines.first == "blerun: simulated devices, virtual time, seed 0")
    #expect(
      lines.dropFirst().allSatisfy {
        $0.contains(#/^blerun: \d+\.\d{3} (call|reply to|error to) \d+ /#)
      }
    )
    let device = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
    #expect(lines.contains { $0.hasSuffix(" \(device) org.bluez.Device1.Connect()") })
    #expect(lines.contains { $0.contains(#/ reply to \d+ ReadValue \(0x57\)$/#) })
    #expect(try run("-e", "read battery-level").output == ended.output)
    let aborted = try blerun([
      "run", "-v", "-e", "sleep 1s", "--simulate", "Simulators/scenarios/aborted-connects.yaml",
    ])
    #expect(aborted.errors.contains(#/ error to \d+ Connect org\.bluez\.Error\.Failed \("/#))
  }

  @Test("several simulated runs print the simulation notice once")
  func announcement() throws {
    let folder = try TemporaryFolder()
    let files = try ["a.yaml", "b.yaml"].map { try folder.file($0, "steps: [ { sleep: 1s } ]\n") }
    let ended = try blerun(["run"] + files + Self.thermometer)
    #expect(ended.errors == "blerun: simulated devices, virtual time, seed 0\n")
    #expect(ended.lines.last == "2 passed", "\(ended.output)")
    let quiet = try blerun(["run", "-q"] + files + Self.thermometer)
    #expect(quiet.errors == "")
  }

  @Test("--color always colours text off a terminal, but never JSON")
  func colors() throws {
    let coloured = try run("--color", "always", "-e", "sleep 1s")
    #expect(coloured.output.contains("\u{1b}[32mok: 1 step in "), "\(coloured.output)")
    #expect(coloured.output.hasSuffix("\u{1b}[0m\n"))
    let json = try run("--color", "always", "--output", "json", "-e", "sleep 1s")
    #expect(!json.output.contains("\u{1b}"))
    let suite = try blerun([
      "run", "docs/examples/nordic/heart-rate.xml", "--color", "always", "--simulate",
      "Simulators/devices/heart-rate.yaml",
    ])
    #expect(suite.lines.last?.hasPrefix("\u{1b}[3") == true, "\(suite.output)")
  }
}
