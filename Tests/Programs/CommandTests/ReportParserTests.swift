// Reports are read by other people's programs, where these are to be had.

import Fixtures
import Glibc
import Testing

@Suite("Reports parsed by other programs", .blocking)
struct ReportParserTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Makes a report of a run with a failure, and hands it to a shell as `$0`.
  private func read(
    _ name: String, by command: String, expecting percent: String
  ) throws -> RunningProgram.Ended {
    let report = folder.path + "/" + name
    let run = try blerun([
      "run", "--simulate", "Simulators/devices/thermometer.yaml", "-e",
      "read battery-level expect percent \(percent); log '<&\"\u{e9}'", "--report", report,
    ])
    #expect(run.status == (percent == "< 90" ? 0 : 1))
    return try RunningProgram(["sh", "-c", command, report], in: folder.path).end()
  }

  private static func has(_ program: String) -> Bool { access("/usr/bin/\(program)", X_OK) == 0 }

  @Test("xmllint reads JUnit and HTML", .enabled(if: has("xmllint"), "needs xmllint"))
  func markup() throws {
    for percent in ["< 90", "> 90"] {
      let cases = "xmllint --xpath 'count(//testcase)' \"$0\""
      let failures = "xmllint --xpath 'count(//testcase/failure)' \"$0\""
      let junit = try read("a.xml", by: "\(cases); \(failures)", expecting: percent)
      #expect(junit.lines == (percent == "< 90" ? ["4", "0"] : ["3", "1"]))
      #expect(junit.errors == "")
      let html = try read("a.html", by: "xmllint --noout \"$0\"", expecting: percent)
      #expect((html.status, html.output) == (0, ""))
    }
  }

  @Test(
    "prove reads TAP; the prove of Perl 5.36 knows only version 13",
    .enabled(if: has("prove"), "needs prove")
  )
  func tap() throws {
    let prove = "sed '1s/14/13/' \"$0\" > 13.tap; prove --exec cat 13.tap"
    #expect(try read("a.tap", by: prove, expecting: "< 90").lines.last == "Result: PASS")
    let failed = try read("a.tap", by: prove, expecting: "> 90")
    #expect(failed.output.contains("Failed test:  1"))
    #expect(failed.lines.last == "Result: FAIL")
  }

  @Test("sqlite3 reads CSV", .enabled(if: has("sqlite3"), "needs sqlite3"))
  func csv() throws {
    let question = "select value || unit from v where attribute = 'battery-level'"
    let command = "sqlite3 :memory: \".import --csv $0 v\" \"\(question)\""
    #expect(try read("a.csv", by: command, expecting: "< 90").output == "87%\n")
  }
}
