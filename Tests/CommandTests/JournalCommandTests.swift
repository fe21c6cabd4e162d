// `--journal` and `blerun history`, as a user has them: files of the user's, full disks, locks, limits of
// a process.

import Fixtures
import Foundation
import Glibc
import Testing

@testable import Journal

@Suite("The journal of the built program", .blocking)
struct JournalCommandTests {
  static let thermometer = [
    "docs/examples/thermometer.yaml", "--simulate", "Simulators/devices/thermometer.yaml",
  ]

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var journal: String { folder.path + "/state/blerun/journal.sqlite" }

  private func run(_ arguments: String...) throws -> RunningProgram.Ended {
    try blerun(
      arguments,
      environment: ["XDG_STATE_HOME": folder.path + "/state", "TZ": "Asia/Tokyo"]
    )
  }

  private func simulated(_ arguments: String..., journal: String) throws -> RunningProgram.Ended {
    try blerun(["run"] + Self.thermometer + ["--output", "json", "--journal", journal] + arguments)
  }

  @Test("a simulated run writes one only where it is named, and the same octets each time")
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

  @Test("of a scanned batch, the table and the sections have name and address")
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

  @Test("the examples of docs/journal.md are what is printed")
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
    "the questions of docs/journal.md to sqlite3 have answers",
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

  @Test("real runs have one in the state folder, for this user alone")
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

  @Test("a run that lacks records is called incomplete in the list, on its page and by check")
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

  @Test("a reader that leaves ends the export")
  func closedOutput() throws {
    let path = folder.path + "/a.sqlite"
    _ = try simulated(journal: path)
    let run = try shell("\"$0\" history export 1 --journal '\(path)' | true; echo ${PIPESTATUS[0]}")
    #expect(["0\n", "74\n"].contains(run.output), "\(run.output) \(run.errors)")
  }
}

@Suite("A journal that cannot be written", .blocking)
struct JournalBadDayTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(
    _ journal: String,
    _ arguments: String...,
    prefix: [String] = []
  ) throws -> RunningProgram.Ended {
    let command = [binaryPath, "run"] + JournalCommandTests.thermometer
    let all = prefix + command + ["--output", "json", "--journal", journal] + arguments
    return try RunningProgram(all, in: packageFolder).end()
  }

  private func events(_ run: RunningProgram.Ended) -> Int { run.lines.count }

  @Test(
    "a file that is none: required ends the run with 74 before anything is touched, optional lets it go on",
    arguments: [("required", 74, "the file is not a journal"), ("optional", 0, "in no journal")]
      as [(String, Int32, String)]
  )
  func atOnce(need: String, status: Int32, message: String) throws {
    let text = try folder.file("notes.txt", String(repeating: "no database\n", count: 500))
    let run = try run(text, "--journal-need", need)
    #expect(run.status == status && run.errors.contains(message), "\(run.errors)")
    #expect(run.output.contains("run-finished") == (status == 0))
    #expect(run.output.isEmpty == (status != 0))
    #expect(try String(contentsOfFile: text, encoding: .utf8).hasPrefix("no database"))
  }

  /// Root may write anywhere: others see what a folder that may not be written does.
  static let unprivileged = ["setpriv", "--reuid=65534", "--clear-groups"]

  static var canDropPrivileges: Bool {
    let test = try? RunningProgram(unprivileged + ["true"], in: "/").end()
    return test?.status == 0 || getuid() != 0
  }

  @Test("a folder that may not be written", .enabled(if: canDropPrivileges))
  func readOnly() throws {
    mkdir(folder.path + "/closed", 0o555)
    chmod(folder.path, 0o755)
    let prefix = getuid() == 0 ? Self.unprivileged : []
    let run = try run(folder.path + "/closed/journal.sqlite", prefix: prefix)
    #expect(run.status == 74)
    #expect(
      run.errors.contains("cannot be opened for writing (Permission denied)"),
      "\(run.errors)"
    )
  }

  @Test("another program that holds it: required ends the run, optional misses nothing of the rest")
  func locked() throws {
    let path = folder.path + "/journal.sqlite"
    #expect(try run(path).status == 0)
    let file = try JournalFile(writing: path)
    let (required, optional) = try file.write { _ in
      (try run(path), try run(path, "--journal-need", "optional"))
    }
    #expect(required.status == 74)
    #expect(required.errors.contains("another program has locked it"), "\(required.errors)")
    #expect(required.output == "", "something was done")
    #expect(optional.status == 0)
    #expect(optional.errors.contains("The run goes on"), "\(optional.errors)")
    #expect(optional.errors.contains("records are not in it"), "\(optional.errors)")
    #expect(try file.runs().count == 1)
    #expect(try file.check().complaints.isEmpty)
  }

  /// A folder on a small disk, in a name space of its own.
  static let smallDisk = ["unshare", "-Urm", "sh", "-c"]

  static var canMount: Bool {
    let script = "mount -t tmpfs -o size=1m none /mnt"
    return (try? RunningProgram(smallDisk + [script], in: "/").end().status) == 0
  }

  @Test(
    "a full disk: required ends the run with 74, optional goes on, and the journal stays whole",
    .enabled(if: canMount, "needs user name spaces"),
    arguments: [("required", 74), ("optional", 0)] as [(String, Int32)]
  )
  func full(need: String, status: Int32) throws {
    let (disk, program) = (folder.path + "/disk", binaryPath)
    mkdir(disk, 0o700)
    let chain = try folder.file(
      "chain.yaml",
      """
      steps:
        - repeat: 400
          steps: [ { read: battery-level } ]
      """
    )
    let run = "'\(program)' run '\(chain)' --output json --journal '\(disk)/j.sqlite'"
    let script = """
      mount -t tmpfs -o size=600k none '\(disk)' || exit 99
      \(run) --simulate Simulators/devices/thermometer.yaml --journal-need \(need) > '\(disk)-out'
      echo $?
      '\(program)' history check --journal '\(disk)/j.sqlite'
      '\(program)' history export 1 --journal '\(disk)/j.sqlite' > '\(disk)-kept'
      """
    let ended = try RunningProgram(Self.smallDisk + [script], in: packageFolder).end()
    #expect(ended.lines.first == "\(status)", "\(ended.output) \(ended.errors)")
    #expect(ended.errors.contains("the disk is full"), "\(ended.errors)")
    #expect(ended.lines.last?.hasSuffix(": ok") == true, "\(ended.output)")
    let printed = try String(contentsOfFile: "\(disk)-out", encoding: .utf8)
      .split(separator: "\n")
    let kept = try String(contentsOfFile: "\(disk)-kept", encoding: .utf8).split(separator: "\n")
    #expect(kept.count > 50)
    #expect(kept == Array(printed.prefix(kept.count)))
    #expect(printed.last?.contains("run-finished") == true)
    guard need == "required" else { return }
    // No step began after the first that could not be written, and nothing that came of it is
    // printed.
    #expect(printed.last?.contains(#""code":"journal-failed""#) == true)
    #expect(printed.last?.contains(#""exitStatus":74"#) == true)
    expectNoResults(printed.dropFirst(kept.count))
  }

  /// Starts of steps and the end of the run may be reported without being recorded.
  private func expectNoResults(_ lines: ArraySlice<Substring>) {
    let results = [#""event":"step-finished""#, #""event":"value""#, #""event":"gap""#]
    #expect(!lines.contains { line in results.contains { line.contains($0) } }, "\(lines)")
  }

  @Test(
    "a limit of file sizes is like a full disk, and ends nothing by a signal",
    arguments: [("required", 74), ("optional", 0)] as [(String, Int32)]
  )
  func limited(need: String, status: Int32) throws {
    let chain = try folder.file(
      "chain.yaml",
      "steps: [ { repeat: 1000, steps: [ { read: battery-level } ] } ]\n"
    )
    let journal = folder.path + "/j.sqlite"
    let script = """
      ulimit -f 1000
      exec "$0" run '\(chain)' --output json --journal '\(journal)' --journal-need \(need) \
        --simulate Simulators/devices/thermometer.yaml
      """
    let ended = try shell(script)
    #expect(ended.status == status, "\(ended.errors)")
    #expect(ended.errors.contains("ulimit -f"), "\(ended.errors)")
    #expect(ended.lines.last?.contains("run-finished") == true)
    #expect(ended.output.contains(#""operation":"disconnect""#))
    let kept = try blerun(["history", "export", "1", "--journal", journal]).lines.map {
      Substring($0)
    }
    #expect(kept.count > 50)
    let printed = ended.lines.map { Substring($0) }
    #expect(kept == Array(printed.prefix(kept.count)))
    if need == "required" { expectNoResults(printed.dropFirst(kept.count)) }
  }
}
