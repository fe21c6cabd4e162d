// `blerun history` without write permission: in a process with fewer rights than the tests.

import Fixtures
import Foundation
import Glibc
import Testing

@testable import Journal

@Suite("Reading a journal without write access", .blocking)
struct JournalReadingTests {
  private let folder: TemporaryFolder
  private let closed: String

  init() throws {
    folder = try TemporaryFolder()
    closed = folder.path + "/a folder, 100%"
    mkdir(closed, 0o755)
    chmod(folder.path, 0o755)
  }

  private var journal: String { closed + "/journal.sqlite" }

  private func simulated() throws {
    let world = JournalCommandTests.thermometer
    let run = try blerun(["run"] + world + ["--journal", journal])
    #expect(run.status == 0, "\(run.errors)")
    chmod(journal, 0o644)
  }

  /// Runs history with a read-only journal folder.
  private func history(_ arguments: [String]) throws -> RunningProgram.Ended {
    let prefix = getuid() == 0 ? JournalBadDayTests.unprivileged : []
    chmod(closed, 0o555)
    defer { chmod(closed, 0o755) }
    let all = prefix + [binaryPath, "history"] + arguments + ["--journal", journal]
    return try RunningProgram(all, in: projectFolder).end()
  }

  @Test(
    "a journal in a read-only folder can be read",
    .enabled(if: JournalBadDayTests.canDropPrivileges)
  )
  func readOnly() throws {
    try simulated()
    let commands = [["list"], ["show", "1"], ["export", "1"], ["check"]]
    let others = try commands.map { try history($0) }
    #expect(access(journal + "-wal", F_OK) != 0 && access(journal + "-shm", F_OK) != 0)
    for (command, other) in zip(commands, others) {
      let own = try blerun(["history"] + command + ["--journal", journal])
      #expect(other.status == 0, "\(command): \(other.errors)")
      #expect(other.output == own.output && !own.output.isEmpty, "\(command)")
      #expect(other.errors == "", "\(command)")
    }
    let prune = try history(["prune", "--older-than", "1d"])
    #expect(prune.status == 74)
    #expect(prune.errors.contains("cannot be opened for writing"), "\(prune.errors)")
  }

  @Test(
    "unmerged commits in a read-only folder are reported with advice that works",
    .enabled(if: JournalBadDayTests.canDropPrivileges)
  )
  func log() throws {
    let whole = folder.path + "/open.sqlite"
    let file = try JournalFile(writing: whole)
    try file.write { try $0.note(lost: 1, of: 1) }
    // Copied while it is open, as after a kill.
    for end in ["", "-wal"] {
      let copied = try RunningProgram(["cp", whole + end, journal + end], in: "/").end()
      #expect(copied.status == 0)
      chmod(journal + end, 0o644)
    }
    file.close()
    let refused = try history(["list"])
    #expect(refused.status == 74)
    #expect(refused.errors.contains("copy it with its -wal file"), "\(refused.errors)")
    let copy = folder.path + "/copy.sqlite"
    for end in ["", "-wal"] {
      #expect(try RunningProgram(["cp", journal + end, copy + end], in: "/").end().status == 0)
    }
    let read = try blerun(["history", "check", "--journal", copy])
    #expect(read.output == "\(copy): ok\n", "\(read.errors)")
  }

  @Test(
    "a journal without read permission is reported",
    .enabled(if: JournalBadDayTests.canDropPrivileges)
  )
  func unreadable() throws {
    try simulated()
    chmod(journal, 0o000)
    let refused = try history(["list"])
    #expect(refused.status == 74)
    #expect(
      refused.errors.contains("cannot be opened for reading (Permission denied)"),
      "\(refused.errors)"
    )
  }

  @Test(
    "a journal of an earlier version in a read-only folder",
    .enabled(if: JournalBadDayTests.canDropPrivileges)
  )
  func older() throws {
    let old = try Data(contentsOf: URL(fileURLWithPath: Self.old))
    try old.write(to: URL(fileURLWithPath: journal))
    chmod(journal, 0o644)
    let list = try history(["list"])
    #expect(list.status == 0, "\(list.errors)")
    #expect(list.lines.count > 1, "\(list.output)")
    let check = try history(["check"])
    #expect(check.status == 0 && check.output.contains("without checksums"), "\(check.output)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: journal)) == old, "reading changed it")
  }

  private static let old = "\(projectFolder)/Tests/Golden/journals/version-4.sqlite"
}
