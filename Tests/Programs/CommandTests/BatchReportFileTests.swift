// Reports of batches into files: batches that run none, schedules, what a kill leaves.
//
// BatchReportTests of Jobs tests the contents of reports.

import Fixtures
import Foundation
import Glibc
import Testing

@Suite("Batch report files", .blocking)
struct BatchReportFileTests {
  private let folder: TemporaryFolder
  private let world: String

  init() throws {
    folder = try TemporaryFolder()
    world = try folder.tags(10)
  }

  private func path(_ name: String) -> String { folder.path + "/" + name }

  /// Runs a batch with a report of each kind: `r.xml` and so on.
  private func batch(_ text: String, _ arguments: String...) throws -> RunningProgram.Ended {
    let file = try folder.file("batch.yaml", text)
    let kinds = ["xml", "tap", "html", "csv", "jsonl", "txt"]
    let reports = kinds.flatMap { ["--report", path("r.\($0)")] }
    return try blerun(["batch", file, "--simulate", world] + reports + arguments)
  }

  @Test("a scan that finds nothing still writes complete reports, which show the failure")
  func nothingFound() throws {
    let none = "devices: { scan: 1s, name: \"Nope*\" }\nsteps: [ { read: battery-level } ]"
    let ended = try batch(none, "--output", "tap")
    #expect(ended.status != 0)
    #expect(ended.output.hasPrefix("TAP version 14\n1..1\nnot ok 1 - the batch\n"))
    #expect(try folder.text("r.tap") == ended.output)
    #expect(try folder.text("r.xml").contains("errors=\"1\""))
    #expect(try folder.text("r.html").hasSuffix("</html>\n"))
  }

  @Test("reports state that nothing was left to run, or that failed devices were skipped")
  func nothingLeft() throws {
    let journal = path("j.sqlite")
    let good = "devices: [ Tag-1 ]\nsteps: [ { read: battery-level } ]"
    _ = try batch(good, "--journal", journal)
    #expect(try folder.text("r.tap").contains("\n1..1\n"))
    #expect(try batch(good, "--journal", journal, "--resume").status == 0)
    #expect(try folder.text("r.tap").hasPrefix("TAP version 14\n1..0 # SKIP nothing is left of "))
    #expect(try folder.text("r.xml").hasSuffix("time=\"0.000\">\n</testsuites>\n"))

    let ill = "devices: [ Tag-2 ]\nsteps: [ { read: battery-level, expect: { percent: 1 } } ]"
    #expect(try batch(ill, "--journal", journal).status == 1)
    let resumed = try batch(ill, "--journal", journal, "--resume", "--skip-failed")
    #expect(resumed.status == 1)
    #expect(try folder.text("r.tap").contains("\nnot ok 1 - Tag-2\n"))
  }

  @Test("for a schedule, the report shows the last round that failed")
  func schedule() throws {
    let rounds = "devices: [ Tag-1 ]\nsteps: [ { read: battery-level } ]\nevery: 10s"
    #expect(try batch(rounds, "--runs", "3").status == 0)
    #expect(try folder.text("r.tap").hasSuffix("\nok 1 - Tag-1\n"))
    let faulty = try folder.file(
      "faulty.yaml",
      "scenario: F\ndevices: [ { use: world.yaml } ]\n"
        + "faults: [ { fault: link-lost-during, on: read, nth: 2 } ]"
    )
    let file = try folder.file("rounds.yaml", rounds)
    let ended = try blerun([
      "batch", file, "--simulate", faulty, "--runs", "3", "--report", path("f.tap"), "--output",
      "tap",
    ])
    #expect(ended.status != 0)
    #expect(ended.output.contains("\nnot ok 1 - Tag-1\n"))
    #expect(try folder.text("f.tap") == ended.output)
  }

  @Test("an old report is kept until the new one is complete; its mode and symlink are preserved")
  func kept() throws {
    let real = try folder.file("real.tap", "old")
    chmod(real, 0o640)
    try FileManager.default.createSymbolicLink(atPath: path("r.tap"), withDestinationPath: real)
    let file = try folder.file("slow.yaml", "devices: [ Tag-1 ]\nsteps: [ { sleep: 50s } ]")
    let run = try RunningProgram(
      blerun: ["batch", file, "--simulate", world, "--real-time", "--each-step"]
        + ["--report", path("r.tap")]
    )
    try run.waitForOutput("connect  ok")
    #expect(try folder.text("r.tap") == "old")
    run.send(SIGKILL)
    _ = run.end()
    #expect(try folder.text("real.tap") == "old")

    _ = try batch("devices: [ Tag-1 ]\nsteps: [ { read: battery-level } ]")
    #expect(try folder.text("real.tap").hasPrefix("TAP version 14\n"))
    let attributes = try FileManager.default.attributesOfItem(atPath: real)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.count { $0.hasPrefix("real.tap") } == 1, "\(names)")
  }

  @Test("the report shows why a run could not begin: a missing secret")
  func notBegun() throws {
    let chain = try folder.file(
      "pair.yaml",
      "device: { name: Tag-1 }\nsteps: [ { pair: { passkey: { env: BLERUN_NOT_SET } } } ]"
    )
    let report = path("run.tap")
    let ended = try blerun("run", chain, "--simulate", world, "--report", report)
    #expect(ended.status == 65, "\(ended.errors)")
    #expect(try folder.text("run.tap").contains("\n1..1\nnot ok 1 - the run\n"))
  }
}
