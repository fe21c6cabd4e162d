// Suites of nRF Connect in the journal, also of a process that is killed.

import Bluetooth
import Fixtures
import Foundation
import Glibc
import Testing

@testable import Journal
@testable import Program

@Suite("A suite in the journal", .blocking)
struct SuiteJournalTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.path + "/journal.sqlite" }

  private func suite(_ operations: String) throws -> String {
    try folder.file(
      "suite.xml",
      """
      <test-suite description="Cells"><target id="a" address="C0:FF:EE:00:00:03"/>
      <test id="t" target="a" description="Level">\(operations)</test>
      <run-test ref="t"/><run-test ref="t" description="again"/></test-suite>
      """
    )
  }

  private func arguments(_ suite: String, _ more: String...) -> [String] {
    ["run", suite, "--simulate", "Simulators/devices/battery.yaml", "--journal", path] + more
  }

  private static let reading = """
    <connect/><read service-uuid="180F" characteristic-uuid="2A19">
    <assert-value description="Half" value="32" expected="SUCCESS_WARNING_ON_FAIL"/></read>
    """

  @Test("each test is recorded as a chain, and each operation as a step with its result")
  func kept() throws {
    let run = try RunningProgram(blerun: arguments(try suite(Self.reading))).end()
    #expect(run.status == 0, "\(run.output) \(run.errors)")
    let file = try JournalFile(reading: path)
    let kept = try #require(try file.runs().first)
    #expect(kept.command == "suite" && kept.exitStatus == 0)
    #expect(kept.chains.map(\.name) == ["Level", "Level, again"])
    #expect(kept.chains.map(\.device) == ["C0:FF:EE:00:00:03", "C0:FF:EE:00:00:03"])
    #expect(kept.chains.map(\.status) == ["warning", "warning"])
    let steps = try file.steps(of: 2, run: 1)
    #expect(steps.map(\.operation) == ["connect", "read"])
    #expect(steps.last?.attribute == "battery/battery-level")
    #expect(steps.last?.result?.hasPrefix(#"{"value":{"percent":"#) == true)
    #expect(steps.last?.result?.contains(#""notes":["#) == true)
    #expect(steps.map(\.values) == [0, 1])
    #expect(try file.check().problems.isEmpty)
    let list = try RunningProgram(blerun: ["history", "--journal", path]).end()
    #expect(list.lines.last?.contains("C0:FF:EE:00:00:03  2 tests  ok") == true, "\(list.output)")
  }

  @Test("an operation that ended is recorded even if the program is killed in the next one")
  func killed() throws {
    let long = try suite(Self.reading + "<sleep timeout=\"60000\"/>")
    let run = try RunningProgram(blerun: arguments(long, "--real-time"))
    try run.waitForOutput("read battery/battery-level")
    run.send(SIGKILL)
    #expect(run.end().status == 137)
    let file = try JournalFile(reading: path)
    let kept = try #require(try file.runs().first)
    #expect(kept.finished == nil && kept.chains.map(\.status) == [nil])
    #expect(try file.steps(of: 1, run: 1).prefix(2).map(\.status) == ["ok", "warning"])
  }
}
