// Report files that cannot be written: when the error is reported, and the exit status.

import Fixtures
import Foundation
import Testing

@Suite("Report files", .blocking)
struct ReportFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ steps: String, reports names: String...) throws -> RunningProgram.Ended {
    let reports = names.flatMap { ["--report", folder.path + "/" + $0] }
    return try blerun(
      ["run", "--simulate", "Simulators/devices/thermometer.yaml", "-e", steps] + reports
    )
  }

  @Test("a report that cannot be written is reported before the chain begins")
  func unwritable() throws {
    let ended = try run("read battery-level", reports: "missing/a.xml")
    #expect(ended.status == 74)
    #expect(ended.output == "")
    #expect(ended.errors.contains("missing/a.xml cannot be written: its folder does not exist."))
  }

  @Test("a full disk is reported at the end, and the chain still succeeds")
  func full() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/a.xml", withDestinationPath: "/dev/full"
    )
    let ended = try run("read battery-level", reports: "a.xml")
    #expect(ended.status == 74)
    #expect(ended.output.contains("ok: 1 step"))
    #expect(ended.errors.contains("a.xml could not be written: No space left on device"))
  }
}
