// `--journal` and `blerun history`, as a user has them: files of the user's, `sqlite3`, pipes.

import Fixtures
import Foundation
import Glibc
import Testing

@testable import Journal

@Suite("The journal from the command line", .blocking)
struct JournalCommandTests {
  static let thermometer = [
    "docs/examples/thermometer.yaml", "--simulate", "Simulators/devices/thermometer.yaml",
  ]

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var journal: String { folder.path + "/state/blerun/journal.sqlite" }

  private func run(_ arguments: String...) throws -> RunningProgram.Ended {
    try blerun(
      arguments, environment: ["XDG_STATE_HOME": folder.path + "/state", "TZ": "Asia/Tokyo"]
    )
  }

  private func simulated(_ arguments: String..., journal: String) throws -> RunningProgram.Ended {
    try blerun(["run"] + Self.thermometer + ["--output", "json", "--journal", journal] + arguments)
  }

  @Test("a simulated run writes a journal only if one is named, with identical bytes each time")
  func repeats() throws {
    #expect(try blerun(["run"] + Self.thermometer).status == 0)
    #expect(access(journal, F_OK) != 0)
    let paths = ["a.sqlite", "b.sqlite"].map { "\(folder.path)/\($0)" }
    for path in paths { #expect(try simulated(journal: path).status == 0) }
    let files = try paths.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    #expect(files[0] == files[1])
    #expect(files[0].count > 10_000)
    let other = folder.path + "/c.sqlite"
    #expect(try simulated("--seed", "8", journal: other).status == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: other)) != files[0])
  }

  @Test("for a batch with a scan, the table and the sections show the name and address")
  func titles() throws {
    let path = folder.path + "/a.sqlite"
    let step = "{ read: battery-level, expect: { percent: { above: 99 } } }"
    let batch = try folder.file("batch.yaml", "devices: { scan: 2s }\nsteps: [ \(step) ]\n")
    let world = ["--simulate", "Simulators/devices/thermometer.yaml", "--journal", path]
    #expect(try blerun(["batch", batch] + world).status == 1)
    let shown = try run("history", "show", "--journal", path)
    let title = "Thermo-1 (C0:FF:EE:00:00:01)  failed"
    #expect(shown.lines.count { $0.hasPrefix(title) } == 2, "\(shown.output)")
  }

  @Test("the history of a batch shows failures before the plan, and the plan once")
  func planOnce() throws {
    let path = folder.path + "/a.sqlite"
    let devices = (1...5).map { "{ name: Lamp-\($0), with: { least: \(90 + $0) } }" }
    let world = try folder.file(
      "lamps.yaml",
      """
      name: Lamp-#
      address: C0:FF:EE:03:00:00
      count: 5
      services:
        - service: battery
          characteristics:
            - { characteristic: battery-level, properties: [read], value: { u8: 87 } }
      """
    )
    let batch = try folder.file(
      "batch.yaml",
      """
      variables: { least: 1 }
      devices: [ \(devices.joined(separator: ", ")) ]
      steps: [ { read: battery-level, expect: { percent: { min: "{least}" } } } ]
      """
    )
    let ended = try blerun(["batch", batch, "--simulate", world, "--journal", path])
    #expect(ended.status == 1, "\(ended.errors)")
    let lines = try run("history", "show", "--journal", path).lines
    let failure = try #require(lines.firstIndex { $0.contains("expectation-not-met:") })
    let plans = lines.indices.filter { lines[$0].hasPrefix("for       ") }
    #expect(plans.count == 1 && plans[0] > failure, "\(lines)")
    #expect(lines.last == "and 4 more plans, for other devices")
  }

  @Test("the summary counts the runs since a time by result and by failed devices")
  func summary() throws {
    let path = folder.path + "/a.sqlite"
    let world = ["--simulate", "Simulators/devices/thermometer.yaml", "--journal", path]
    let expected = "{ read: battery-level, expect: { percent: { above: 99 } } }"
    for step in ["{ read: battery-level }", expected, expected] {
      let batch = try folder.file("batch.yaml", "devices: [ Thermo-1 ]\nsteps: [ \(step) ]\n")
      _ = try blerun(["batch", batch] + world)
    }
    let all = try run("history", "summary", "--journal", path, "--since", "2000-01-01")
    #expect(
      all.lines == [
        "3 runs: 2 failed: expectation-not-met, 1 ok", "3 chains on 1 device: 2 failed",
        "device    failed  of  why", "Thermo-1  2       3   2 expectation-not-met",
      ],
      "\(all.output) \(all.errors)"
    )
    let json = try run("history", "summary", "--journal", path, "--output", "json")
    let failing =
      #""failing":[{"device":"Thermo-1","failed":2,"chains":3,"#
      + #""codes":[{"code":"expectation-not-met","count":2}]}]}"#
    #expect(json.output.hasSuffix(failing + "\n"), "\(json.output)")
    let none = try run("history", "summary", "--journal", path, "--since", "2001-01-01")
    #expect(none.output == "no run\n")
    for (since, count) in [("2000-01-01", 4), ("36500d", 4), ("7d", 0)] {
      let list = try run("history", "--journal", path, "--since", since)
      #expect(list.status == 0 && list.lines.count == count, "\(list.output) \(list.errors)")
    }
    for wrong in ["2000-02-30", "yesterday", "7"] {
      #expect(try run("history", "--journal", path, "--since", wrong).status == 2)
    }
  }

  @Test("the examples in docs/journal.md match the output")
  func examples() throws {
    let path = folder.path + "/journal.sqlite"
    #expect(try simulated(journal: path).status == 0)
    let page = try Example(in: "docs/journal.md")
    let texts = page.blocks("text")
    #expect(try run("history", "--journal", path).output == texts[0])
    #expect(try run("history", "show", "1", "--journal", path).output == texts[1])
    #expect(try run("history", "show", "--journal", path).output == texts[1], "the latest run")
    let table = try run("history", "export", "1", "--format", "csv", "--journal", path)
    #expect(table.lines.prefix(4).map { $0 + "\n" }.joined() == page.blocks("csv")[0])
    let json = try run("history", "--output", "json", "--journal", path)
    #expect(json.output == page.blocks("json")[0])
    let series = [
      "history", "values", "Thermo-1", "temperature-measurement", "--field", "celsius", "--since",
      "36500d", "--journal", path,
    ]
    let minutes = try blerun(series + ["--bucket", "1m"])
    #expect(minutes.output == page.blocks("csv")[1], "\(minutes.errors)")
    let single = try blerun(series + ["--output", "json"])
    #expect(single.lines.count == 4, "\(single.output) \(single.errors)")
    #expect(single.lines.allSatisfy { $0.contains(#""event":"number""#) })
    let wrong = try blerun(series + ["--bucket", "90s"])
    #expect(wrong.status == 2)
  }

  @Test(
    "the sqlite3 queries in docs/journal.md return rows",
    .enabled(if: access("/usr/bin/sqlite3", X_OK) == 0, "needs sqlite3")
  )
  func questions() throws {
    let path = folder.path + "/journal.sqlite"
    let batch = try folder.file("batch.yaml", "devices: [ Thermo-1 ]\nsteps: [ { log: x } ]\n")
    let world = ["--simulate", "Simulators/devices/thermometer.yaml", "--journal", path]
    #expect(try blerun(["batch", batch] + world).status == 0)
    #expect(try simulated(journal: path).status == 0)
    let questions = try Example(in: "docs/journal.md").blocks("sh").filter {
      $0.hasPrefix("sqlite3 ")
    }
    let answers = try questions.map { try shell($0, in: folder.path) }
    #expect(answers.map(\.status) == [0, 0], "\(answers.map(\.errors))")
    #expect(answers.first?.lines.first == "time,device,celsius")
    #expect(answers.first?.output.contains(",Thermo-1,36.6") == true)
    #expect(answers.last?.lines == ["device,status,message", "Thermo-1,ok,"])
  }

  @Test("real runs are recorded in the state folder, readable by this user only")
  func place() throws {
    let host = try SimulatedHost()
    let run = try host.run("run", "-d", host.device, "-e", "read body-sensor-location")
    #expect(run.status == 0, "\(run.errors)")
    var status = stat()
    #expect(stat(host.journal, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(try host.run("history").lines.count == 2)
    let none = try host.run("run", "-d", host.device, "-e", "log x", "--no-journal")
    #expect(none.status == 0)
    #expect(try host.run("history").lines.count == 2)
    #expect(try host.run("history", "--device", "nobody").output == "")
  }

  @Test("runs are deleted by age and size, by hand and after a run")
  func prune() throws {
    let path = folder.path + "/a.sqlite"
    for _ in 0..<3 { _ = try simulated(journal: path) }
    let most = try run("history", "prune", "--max-size", "90K", "--journal", path)
    #expect(most.lines.first?.contains(" deleted, ") == true, "\(most.output)")
    // The clock of a simulation stands in the year 2000.
    let old = try run("history", "prune", "--older-than", "30d", "--journal", path)
    #expect(old.output.contains("deleted"))
    #expect(try run("history", "--journal", path).output == "")
    _ = try simulated(journal: path)
    _ = try simulated("--journal-size", "4K", journal: path)
    #expect(try run("history", "--journal", path).lines.count == 2)
    #expect(try run("history", "prune", "--journal", path).status == 2)
  }

  @Test("a run with missing records is marked incomplete in the list, on its page and by check")
  func incomplete() throws {
    let path = folder.path + "/a.sqlite"
    #expect(try simulated(journal: path).status == 0)
    let file = try JournalFile(writing: path)
    try file.write { try $0.note(lost: 7, of: 1) }
    file.close()
    #expect(try run("history", "list", "--journal", path).output.contains("ok, incomplete"))
    let page = try run("history", "show", "1", "--journal", path)
    #expect(page.output.contains("\nmissing   7 records: "))
    let list = try run("history", "list", "--output", "json", "--journal", path)
    #expect(list.output.contains(#""lost":7,"#))
    let check = try run("history", "check", "--journal", path)
    #expect(check.status == 0)
    #expect(check.lines.last == "run 1 is incomplete: 7 of its records could not be written")
    let checked = try run("history", "check", "--output", "json", "--journal", path)
    #expect(checked.output.contains(#""incomplete":[1]"#))
  }

  @Test("a closed reader ends the export")
  func closedOutput() throws {
    let path = folder.path + "/a.sqlite"
    _ = try simulated(journal: path)
    let run = try shell("\"$0\" history export 1 --journal '\(path)' | true; echo ${PIPESTATUS[0]}")
    #expect(["0\n", "74\n"].contains(run.output), "\(run.output) \(run.errors)")
  }
}
