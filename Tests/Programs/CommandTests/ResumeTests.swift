// `blerun batch --resume`, as a user has it: one process after the other with one journal, a pipe, Ctrl-C.
//
// ResumeDecisionTests tests the decisions that depend on the journal.

import Fixtures
import Foundation
import Glibc
import Journal
import Testing

@Suite("blerun batch --resume", .blocking)
struct ResumeTests {
  private let folder: TemporaryFolder
  private let world: String

  init() throws {
    folder = try TemporaryFolder()
    world = try folder.tags(4)
  }

  private var journal: String { folder.path + "/journal.sqlite" }

  private func batch(_ names: String..., steps: String = "{ read: battery-level }") throws -> String
  {
    let list = names.joined(separator: ", ")
    return try folder.file("batch.yaml", "devices: [ \(list) ]\nsteps: [ \(steps) ]\n")
  }

  private func arguments(_ more: [String]) -> [String] {
    ["batch", folder.path + "/batch.yaml", "--simulate", world, "--journal", journal] + more
  }

  private func run(_ more: String...) throws -> RunningProgram.Ended {
    try blerun(arguments(more))
  }

  private func chains() throws -> [String] {
    let file = try JournalFile(reading: journal)
    defer { file.close() }
    return try file.runs().flatMap(\.chains).map { "\($0.device) \($0.status ?? "-")" }
  }

  @Test("after Ctrl-C, a resumed batch runs the devices that were cancelled or not run")
  func interrupted() throws {
    _ = try batch("Tag-1", "Tag-2", "Tag-3", steps: "{ read: battery-level }, { sleep: 5s }")
    let first = try RunningProgram(blerun: arguments(["--real-time", "--each-step"]))
    try first.waitForOutput("Tag-2  1  read battery-level")
    first.send(SIGINT)
    #expect(first.end().status == 130)
    #expect(try chains() == ["Tag-1 ok", "Tag-2 cancelled"])
    let second = try run("--resume")
    #expect(second.status == 0, "\(second.errors)")
    #expect(second.errors.contains("1 of 3 devices succeeded, 2 to be run"), "\(second.errors)")
    #expect(second.output.contains("2 devices: 2 ok\nbefore: 1 ok\n"), "\(second.output)")
    #expect(try chains() == ["Tag-1 ok", "Tag-2 cancelled", "Tag-2 ok", "Tag-3 ok"])
    let third = try run("--resume")
    #expect(third.status == 0 && third.output == "")
    #expect(third.errors.contains("succeeded on every device"), "\(third.errors)")
  }

  @Test("a failed device is tried again, or skipped but counted with --skip-failed")
  func failed() throws {
    _ = try batch("Tag-1", "Tag-8")
    #expect(try run().status == 75)
    let skipping = try run("--resume", "--skip-failed", "--output", "json")
    #expect(skipping.status == 75)
    #expect(skipping.output.contains(#""devices":[],"concurrency":1,"before":{"ok":1,"failed":1}"#))
    #expect(try run("--resume", "1").status == 75)
    #expect(try chains() == ["Tag-1 ok", "Tag-8 failed", "Tag-8 failed"])
    let shown = try blerun(["history", "show", "1", "--journal", journal])
    #expect(shown.output.contains("outcome   2 devices: 1 ok, 1 failed\nresumed   "))
    #expect(shown.output.contains(", from chain 3 on\n"), "\(shown.output)")
    let table = shown.lines.filter { $0.hasPrefix("Tag-") }
    #expect(table.first?.hasPrefix("Tag-8   failed") == true, "\(shown.output)")
    #expect(table.count { $0.hasPrefix("Tag-1") } == 1, "\(shown.output)")
  }

  @Test("reports of a resumed batch list every device with the result of its last chain")
  func reports() throws {
    _ = try batch("Tag-1", "Tag-8", steps: "{ read: battery-level }, { sleep: 250ms }")
    #expect(try run().status == 75)
    _ = try folder.tags(8)
    let tap = folder.path + "/all.tap"
    let second = try run("--resume", "--report", tap, "--report", folder.path + "/all.html")
    #expect(second.status == 0, "\(second.errors)")
    #expect(second.output.contains("1 device: 1 ok\nbefore: 1 ok\n"), "\(second.output)")
    let text = try folder.text("all.tap")
    #expect(text.hasPrefix("TAP version 14\n1..2\n") && !text.contains("not ok"), "\(text)")
    #expect(text.contains("    # before: connecting to 'Tag-8'"), "\(text)")
    let page = try folder.text("all.html")
    #expect(page.contains("2 devices: 2 ok</p>") && !page.contains("What went wrong"))
    #expect(page.ranges(of: ">sleep 250ms</th>").count == 2, "\(page)")
    let show = ["history", "show", "1", "--journal", journal]
    let shown = try blerun(show + ["--report", folder.path + "/later.tap"])
    #expect(try folder.text("later.tap").hasPrefix("TAP version 14\n1..2\n"))
    #expect(shown.output.contains("outcome   2 devices: 2 ok\n"), "\(shown.output)")
    #expect(!shown.output.contains("failed"), "\(shown.output)")
    let json = try blerun(show + ["--output", "json"])
    let superseded = json.lines.first?.components(separatedBy: #""superseded":true"#)
    #expect(superseded?.count == 2, "\(json.output)")
  }

  @Test("a dry run prints what is left, or why nothing is, and touches nothing")
  func dryRun() throws {
    _ = try batch("Tag-1", "Tag-8")
    #expect(try run("--dry-run", "--resume").status == 1)
    #expect(access(journal, F_OK) != 0)
    #expect(try run().status == 75)
    let left = try run("--dry-run", "--resume")
    #expect(left.status == 0)
    #expect(left.errors.contains("1 of 2 devices succeeded, 1 to be run"), "\(left.errors)")
    #expect(left.output.contains("devices   1\n"), "\(left.output)")
    #expect(left.output.contains("for       Tag-8\n") && !left.output.contains("Tag-1"))
    let skipping = try run("--dry-run", "--resume", "--skip-failed")
    #expect(skipping.output.contains("devices   0\n"), "\(skipping.output)")
    #expect(try chains() == ["Tag-1 ok", "Tag-8 failed"])
    let file = try JournalFile(reading: journal)
    #expect(try file.runs().first?.resumptions.isEmpty == true)
    file.close()
    _ = try batch("Tag-1")
    #expect(try run().status == 0)
    let nothing = try run("--dry-run", "--resume")
    #expect(nothing.status == 0 && nothing.output == "")
    #expect(nothing.errors.contains("nothing is left"), "\(nothing.errors)")
  }

  @Test("a dry run lists the devices found by the earlier scan")
  func dryScan() throws {
    let text = "devices: { scan: 2s }\nsteps: [ { log: '{name}' }, { read: battery-level } ]\n"
    _ = try folder.file("batch.yaml", text)
    // The first device finishes within that time, the second does not.
    #expect(try run("--deadline", "5s").status == 75)
    let left = try run("--dry-run", "--resume")
    #expect(left.status == 0 && left.output.contains("log Tag-4\n"), "\(left.output)")
    #expect(!left.output.contains("log Tag-1\n"), "\(left.output)")
  }

  @Test("a batch from a pipe can be resumed only by its run number")
  func pipe() throws {
    let file = try batch("Tag-1", "Tag-8")
    #expect(try run().status == 75)
    func resume(_ number: String) throws -> RunningProgram.Ended {
      let rest = "--simulate '\(world)' --journal '\(journal)' --resume \(number)"
      return try shell("\"$0\" batch <(cat '\(file)') \(rest)")
    }
    let latest = try resume("")
    #expect(latest.status == 2 && latest.output == "")
    #expect(latest.errors.contains("no regular file"), "\(latest.errors)")
    #expect(try resume("1").status == 75)
    #expect(try chains() == ["Tag-1 ok", "Tag-8 failed", "Tag-8 failed"])
  }

  @Test("a missing or empty journal is reported")
  func nothing() throws {
    let file = try batch("Tag-1")
    let none = try run("--resume")
    #expect(none.status == 1 && none.errors.contains("the file does not exist"), "\(none.errors)")
    #expect(access(journal, F_OK) != 0)
    let unnamed = try blerun("batch", file, "--simulate", world, "--resume")
    #expect(unnamed.status == 2)
    #expect(try run().status == 0)
    #expect(try run("--resume", "8").status == 1)
  }

  @Test("each round of a schedule is a run in the journal, and the failed one is resumed")
  func schedule() throws {
    _ = try folder.file(
      "batch.yaml", "devices: [ Tag-1, Tag-8 ]\nsteps: [ { read: battery-level } ]\nevery: 1h\n"
    )
    #expect(try run("--runs", "2").status == 75)
    let list = try blerun(["history", "--journal", journal])
    #expect(list.lines.count == 3, "\(list.output)")
    let resumed = try run("--resume", "--output", "json")
    #expect(resumed.status == 75)
    #expect(resumed.errors.contains("resuming run 2"))
    #expect(resumed.lines.last?.contains(#""round":2,"status":"failed""#) == true)
  }
}
