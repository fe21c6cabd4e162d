// A run of which its journal lacks records, as `blerun history` prints it.

import Fixtures
import Testing

@testable import Journal

@Suite("A run that its journal has in part", .blocking)
struct IncompleteRunTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func history(_ arguments: String...) throws -> RunningProgram.Ended {
    let journal = ["--journal", folder.path + "/journal.sqlite"]
    return try blerun(["history"] + arguments + journal)
  }

  @Test("is called incomplete in the list, on its page and by check")
  func incomplete() throws {
    let path = folder.path + "/journal.sqlite"
    let world = ["--simulate", "Simulators/devices/thermometer.yaml", "--journal", path]
    #expect(try blerun(["run", "-e", "log x"] + world).status == 0)
    let file = try JournalFile(writing: path)
    try file.write { try $0.note(lost: 7, of: 1) }
    file.close()
    #expect(try history("list").output.contains("ok, incomplete"))
    let page = try history("show", "1")
    #expect(page.output.contains("\nmissing   7 records: "))
    #expect(try history("list", "--output", "json").output.contains(#""lost":7,"#))
    let check = try history("check")
    #expect(check.status == 0)
    #expect(
      check.lines.last == "run 1 is incomplete: 7 of its records could not be written"
    )
    #expect(try history("check", "--output", "json").output.contains(#""incomplete":[1]"#))
  }
}
