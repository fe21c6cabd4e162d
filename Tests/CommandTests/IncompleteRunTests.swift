// A run of which its journal lacks records, as `blerun history` shows it.

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

  @Test("says so at its end, in the list, on its page and to check")
  func incomplete() throws {
    let path = folder.path + "/journal.sqlite"
    let chain = try folder.file(
      "chain.yaml",
      "steps: [ { repeat: 30000, steps: [ { log: x } ] } ]\n"
    )
    let file = try JournalFile(writing: path)
    let program = try file.write { _ in
      // More than are kept, and more are to come.
      let script = """
        '\(binaryPath)' run '\(chain)' --simulate Simulators/devices/thermometer.yaml \
          --output json --journal '\(path)' --journal-need optional |
          { head -n 55000 > '\(path)-printed'; echo reached; cat > '\(path)-printed'; }
        echo ${PIPESTATUS[0]}
        """
      let program = try RunningProgram(["bash", "-c", script], in: packageFolder)
      try program.waitForOutput("reached")
      return program
    }
    let ended = program.end()
    #expect(ended.lines.last == "0", "\(ended.output) \(ended.errors)")
    #expect(ended.errors.contains("The run goes on"), "\(ended.errors)")
    let run = try #require(try file.runs().first)
    #expect(run.lost > 0 && run.exitStatus == 0)
    #expect(ended.errors.contains("\(run.lost) records are not in it, because"), "\(ended.errors)")
    #expect(try history("list").output.contains("ok, incomplete"))
    let page = try history("show", "1")
    #expect(page.output.contains("\nmissing   \(run.lost) records: "))
    #expect(try history("list", "--output", "json").output.contains(#""lost":\#(run.lost),"#))
    let check = try history("check")
    #expect(check.status == 0)
    #expect(
      check.lines.last == "run 1 is incomplete: \(run.lost) of its records could not be written"
    )
    #expect(try history("check", "--output", "json").output.contains(#""incomplete":[1]"#))
  }
}
