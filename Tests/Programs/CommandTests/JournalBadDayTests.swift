// Journals that cannot be written, of each command that keeps one, as a user has them: files of the user's,
// full disks, locks, limits of a process.

import Fixtures
import Foundation
import Glibc
import Testing

@testable import Journal

@Suite("A journal that cannot be written", .blocking)
struct JournalBadDayTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The commands that write a journal.
  enum Command: CaseIterable {
    case run, batch, suite

    /// How it ends where it may do without: the second device of the batch is not there.
    var status: Int32 { self == .batch ? 75 : 0 }
  }

  private func arguments(of command: Command) throws -> [String] {
    switch command {
    case .run: ["run"] + JournalCommandTests.thermometer
    case .batch: try batch("{ read: battery-level }")
    case .suite:
      [
        "run",
        try folder.file(
          "suite.xml",
          """
          <test-suite description="Cells"><target id="a" address="C0:FF:EE:00:00:03"/>
          <test id="t" target="a" description="Level"><connect/></test>
          <run-test ref="t"/></test-suite>
          """
        ),
        "--simulate", "Simulators/devices/battery.yaml",
      ]
    }
  }

  private func batch(_ steps: String) throws -> [String] {
    let text = "devices: [ Thermo-1, Thermo-2 ]\nsteps: [ \(steps) ]\n"
    let file = try folder.file("batch.yaml", text)
    return ["batch", file, "--simulate", "Simulators/devices/thermometer.yaml"]
  }

  private func run(
    _ journal: String, _ more: String..., of command: Command = .run, prefix: [String] = []
  ) throws -> RunningProgram.Ended {
    let program = prefix + [binaryPath] + (try arguments(of: command))
    let all = program + ["--output", "json", "--journal", journal] + more
    return try RunningProgram(all, in: projectFolder).end()
  }

  @Test(
    "not a journal: required ends with 74 before anything is done, optional continues",
    arguments: Command.allCases
  )
  func atOnce(command: Command) throws {
    let text = try folder.file("notes.txt", String(repeating: "no database\n", count: 500))
    let required = try run(text, of: command)
    #expect(required.status == 74 && required.output == "", "\(required.output)")
    #expect(required.errors.contains("the file is not a journal"), "\(required.errors)")
    let optional = try run(text, "--journal-need", "optional", of: command)
    #expect(optional.status == command.status && optional.output.contains("-finished"))
    #expect(optional.errors.contains("this run is in no journal"), "\(optional.errors)")
    if command == .batch { #expect(try run(text, "--resume", of: .batch).status == 65) }
    #expect(try String(contentsOfFile: text, encoding: .utf8).hasPrefix("no database"))
  }

  /// Root can write anywhere, so the command runs without privileges.
  static let unprivileged = ["setpriv", "--reuid=65534", "--clear-groups"]

  static var canDropPrivileges: Bool {
    let test = try? RunningProgram(unprivileged + ["true"], in: "/").end()
    return test?.status == 0 || getuid() != 0
  }

  @Test("a folder without write permission ends the run with 74", .enabled(if: canDropPrivileges))
  func readOnly() throws {
    mkdir(folder.path + "/closed", 0o555)
    chmod(folder.path, 0o755)
    let prefix = getuid() == 0 ? Self.unprivileged : []
    let run = try run(folder.path + "/closed/journal.sqlite", prefix: prefix)
    #expect(run.status == 74)
    #expect(
      run.errors.contains("cannot be opened for writing (Permission denied)"), "\(run.errors)"
    )
  }

  @Test(
    "a locked journal: required ends with 74, optional still runs everything",
    arguments: Command.allCases
  )
  func locked(command: Command) throws {
    let path = folder.path + "/journal.sqlite"
    #expect(try run(path, of: command).status == command.status)
    let file = try JournalFile(writing: path)
    let (required, optional) = try file.write { _ in
      (try run(path, of: command), try run(path, "--journal-need", "optional", of: command))
    }
    #expect(required.status == 74)
    #expect(required.errors.contains("another program has locked it"), "\(required.errors)")
    // A batch says how it ended.
    #expect(!required.output.contains("-started"), "the run began without its journal")
    #expect(required.output.isEmpty || command == .batch, "\(required.output)")
    #expect(optional.status == command.status && optional.output.contains("-finished"))
    #expect(optional.errors.contains("The run goes on"), "\(optional.errors)")
    #expect(optional.errors.contains("records are not in it"), "\(optional.errors)")
    #expect(try file.runs().count == 1)
    #expect(try file.check().problems.isEmpty)
  }

  /// A folder on a small disk, in a name space of its own.
  static let smallDisk = ["unshare", "-Urm", "sh", "-c"]

  static var canMount: Bool {
    let script = "mount -t tmpfs -o size=1m none /mnt"
    return (try? RunningProgram(smallDisk + [script], in: "/").end().status) == 0
  }

  @Test(
    "a full disk: required ends with 74, optional continues, and the journal stays intact",
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
    let ended = try RunningProgram(Self.smallDisk + [script], in: projectFolder).end()
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
    "a full disk: required ends the running chains of a batch, optional runs all devices",
    .enabled(if: canMount, "needs user name spaces"),
    arguments: [("required", 74), ("optional", 75)] as [(String, Int32)]
  )
  func fullBatch(need: String, status: Int32) throws {
    let (disk, program) = (folder.path + "/disk", binaryPath)
    mkdir(disk, 0o700)
    let batch = try batch("{ repeat: 400, steps: [ { read: battery-level } ] }")
      .joined(separator: " ")
    let script = """
      mount -t tmpfs -o size=400k none '\(disk)' || exit 99
      '\(program)' \(batch) --output json --journal '\(disk)/j.sqlite' --journal-need \(need)
      echo $?
      '\(program)' history check --journal '\(disk)/j.sqlite'
      """
    let ended = try RunningProgram(Self.smallDisk + [script], in: projectFolder).end()
    #expect(ended.errors.contains("the disk is full"), "\(ended.errors)")
    #expect(ended.lines.dropLast().last == "\(status)", "\(ended.lines.suffix(3))")
    #expect(ended.lines.last?.hasSuffix(": ok") == true)
    let isRequired = need == "required"
    #expect(ended.output.contains(#""notRun":["Thermo-2"]"#) == isRequired)
    #expect(ended.output.contains(#""code":"journal-failed""#) == isRequired)
    if isRequired { #expect(ended.output.contains(#""status":"cancelled","exitStatus":74"#)) }
  }

  @Test(
    "a file size limit acts like a full disk, and no signal ends the run",
    arguments: [("required", 74), ("optional", 0)] as [(String, Int32)]
  )
  func limited(need: String, status: Int32) throws {
    let chain = try folder.file(
      "chain.yaml", "steps: [ { repeat: 1000, steps: [ { read: battery-level } ] } ]\n"
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
