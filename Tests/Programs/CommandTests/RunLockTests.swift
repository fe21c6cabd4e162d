// One process at a time resumes a run of simulated devices.

import Fixtures
import Foundation
import Glibc
import Journal
import Testing

@Suite("Locks on runs of simulated devices", .blocking)
struct RunLockTests {
  private let folder: TemporaryFolder
  private let arguments: [String]

  init() throws {
    folder = try TemporaryFolder()
    let world = try folder.tags(2)
    let batch = try folder.file(
      "batch.yaml",
      "devices: [ Tag-1, Tag-2 ]\nsteps: [ { read: battery-level }, { sleep: 5s } ]\n"
    )
    let journal = folder.path + "/j.sqlite"
    arguments = ["batch", batch, "--simulate", world, "--journal", journal, "--real-time"]
  }

  private var journal: String { folder.path + "/j.sqlite" }
  private var lock: String { journal + "-run-1.lock" }

  private func start(_ more: String...) throws -> RunningProgram {
    try RunningProgram(blerun: arguments + ["--each-step"] + more)
  }

  private func chains() throws -> [String] {
    let file = try JournalFile(reading: journal)
    defer { file.close() }
    return try file.runs().flatMap(\.chains).map { "\($0.device) \($0.status ?? "-")" }
  }

  @Test("resuming a run that is still running is refused with 75")
  func refused() throws {
    let first = try start()
    try first.waitForOutput("Tag-1  1  read battery-level")
    // It stays stopped, however long the others take.
    first.pause()
    let early = try start("--resume").end()
    #expect(early.status == 75 && early.output == "")
    #expect(early.errors.contains("run 1 is under way, in another process"), "\(early.errors)")
    #expect(try start("--resume", "--dry-run").end().status == 75)
    first.send(SIGKILL)
    _ = first.end()
    #expect(access(lock, F_OK) == 0)

    // The lock of a killed process does not block others.
    let second = try start("--resume")
    try second.waitForOutput("Tag-1  1  read battery-level")
    second.pause()
    let third = try start("--resume").end()
    second.send(SIGCONT)
    #expect(third.status == 75 && third.output == "", "\(third.errors)")
    let ended = second.end()
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(try chains() == ["Tag-1 -", "Tag-1 ok", "Tag-2 ok"])
    #expect(access(lock, F_OK) != 0)
    let last = try start("--resume").end()
    #expect(last.status == 0 && last.errors.contains("nothing is left"), "\(last.errors)")
    #expect(access(lock, F_OK) != 0)
  }
}
