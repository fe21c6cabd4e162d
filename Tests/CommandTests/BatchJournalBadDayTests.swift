// A batch whose journal cannot be written: a full disk, the lock of another process, and the exit status.

import Fixtures
import Foundation
import Glibc
import Testing

@testable import Journal

@Suite("A batch's journal that cannot be written", .blocking)
struct BatchJournalBadDayTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func batch(_ steps: String) throws -> String {
    try folder.file("batch.yaml", "devices: [ Thermo-1, Thermo-2 ]\nsteps: [ \(steps) ]\n")
  }

  private func run(_ arguments: String...) throws -> RunningProgram.Ended {
    let simulated = ["--simulate", "Simulators/devices/thermometer.yaml", "--output", "json"]
    return try blerun(["batch"] + arguments + simulated)
  }

  @Test("a file that is no journal: required ends with 74 at once, optional says so and goes on")
  func wrong() throws {
    let batch = try batch("{ read: battery-level }")
    let text = try folder.file("notes.txt", String(repeating: "no database\n", count: 500))
    let required = try run(batch, "--journal", text)
    #expect(required.status == 74 && required.output == "", "\(required.errors)")
    let optional = try run(batch, "--journal", text, "--journal-need", "optional")
    #expect(optional.status == 75)
    #expect(optional.errors.contains("this run is in no journal"), "\(optional.errors)")
    #expect(try run(batch, "--journal", text, "--resume").status == 65)
  }

  @Test("another program that holds it: required runs no device, optional all of them")
  func locked() throws {
    let batch = try batch("{ read: battery-level }")
    let path = folder.path + "/journal.sqlite"
    #expect(try run(batch, "--journal", path).status == 75)
    let file = try JournalFile(writing: path)
    let (required, optional) = try file.write { _ in
      (
        try run(batch, "--journal", path),
        try run(batch, "--journal", path, "--journal-need", "optional")
      )
    }
    #expect(required.status == 74)
    #expect(!required.output.contains("run-started"), "\(required.output)")
    #expect(required.errors.contains("another program has locked it"), "\(required.errors)")
    #expect(optional.status == 75)
    #expect(optional.output.contains("run-finished"))
    #expect(optional.errors.contains("records are not in it"), "\(optional.errors)")
    #expect(try file.runs().count == 1)
  }

  @Test(
    "a full disk: required ends the chains under way and begins no other; optional runs them all",
    .enabled(if: JournalBadDayTests.canMount, "needs user name spaces"),
    arguments: [("required", 74), ("optional", 75)] as [(String, Int32)]
  )
  func full(need: String, status: Int32) throws {
    let (disk, program) = (folder.path + "/disk", binaryPath)
    mkdir(disk, 0o700)
    let batch = try batch("{ repeat: 400, steps: [ { read: battery-level } ] }")
    let run = "'\(program)' batch '\(batch)' --output json --journal '\(disk)/j.sqlite'"
    let script = """
      mount -t tmpfs -o size=400k none '\(disk)' || exit 99
      \(run) --simulate Simulators/devices/thermometer.yaml --journal-need \(need)
      echo $?
      '\(program)' history check --journal '\(disk)/j.sqlite'
      """
    let ended = try RunningProgram(JournalBadDayTests.smallDisk + [script], in: packageFolder).end()
    #expect(ended.errors.contains("the disk is full"), "\(ended.errors)")
    #expect(ended.lines.dropLast().last == "\(status)", "\(ended.lines.suffix(3))")
    #expect(ended.lines.last?.hasSuffix(": ok") == true)
    let isRequired = need == "required"
    #expect(ended.output.contains(#""notRun":["Thermo-2"]"#) == isRequired)
    #expect(ended.output.contains(#""code":"journal-failed""#) == isRequired)
    if isRequired { #expect(ended.output.contains(#""status":"cancelled","exitStatus":74"#)) }
  }
}
