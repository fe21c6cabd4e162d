// Reports of suites of nRF Connect: into files, and on standard output, also where a signal ends them.
//
// Their text is recorded in Tests/Golden/recorded/reports.txt, and tested in NordicSuitesTests.

import Fixtures
import Foundation
import Testing

@Suite("Suite report files", .blocking)
struct SuiteReportTests {
  private let folder: TemporaryFolder
  private let suite: String

  init() throws {
    folder = try TemporaryFolder()
    suite = try folder.file(
      "suite.xml",
      """
      <test-suite description="Cells &amp; co"><target id="a" address="C0:FF:EE:00:00:03"/>
      <test id="good" target="a" description="Goes well"><connect/>
      <read service-uuid="180F" characteristic-uuid="2A19">
      <assert-value description="Half" value="32" expected="SUCCESS_WARNING_ON_FAIL"/></read>
      <read service-uuid="1811" characteristic-uuid="2A46" expected="FAIL"/></test>
      <test id="bad" target="a"><connect/><dfu file="a.zip"/>
      <read description="How full" service-uuid="180F" characteristic-uuid="2A19">
      <assert-value description="Half" value="32"/></read><sleep timeout="1"/></test>
      <run-test ref="good" description="once"/><run-test ref="bad"/></test-suite>
      """
    )
  }

  private func reports(_ names: String...) -> [String] {
    names.flatMap { ["--report", folder.path + "/" + $0] }
  }

  private func run(_ arguments: [String]) throws -> RunningProgram.Ended {
    try RunningProgram(
      blerun: ["run", suite, "--simulate", "Simulators/devices/battery.yaml"] + arguments
    ).end()
  }

  @Test("a suite can also write a page, values, and its live output as text and JSON")
  func others() throws {
    let ended = try run(reports("a.html", "a.csv", "a.jsonl", "a.txt"))
    #expect(ended.status == 1)
    #expect(try folder.text("a.txt") == ended.output)
    #expect(try folder.text("a.jsonl") == (try run(["--output", "json"]).output))
    let page = try folder.text("a.html")
    #expect(page.contains("2 tests: 1 ok, 1 failed") && page.contains("<h2>Tests</h2>"))
    #expect(page.contains("<h2>1  Goes well, once</h2>"))
    #expect(
      page.contains("<p>On <bdi>C0:FF:EE:00:00:03</bdi>.</p>")
        && page.contains("the value is 64, not 32")
    )
    let rows = try folder.text("a.csv").split(separator: "\n")
    #expect(rows.count == 2 && rows[0].hasPrefix("time,offset,run,device,attempt,step,operation"))
    #expect(
      rows[1].hasSuffix(",C0:FF:EE:00:00:03,1,1.2,read,battery/battery-level,percent,100,%,64,"),
      "\(rows[1])"
    )
  }

  @Test("a report that cannot be written ends the suite before it begins")
  func unwritable() throws {
    let ended = try run(reports("missing/a.xml"))
    #expect(ended.status == 74 && ended.output == "")
  }

  @Test("a signal ends the suite, and the report has the tests that began")
  func interrupted() throws {
    let long = try folder.file(
      "long.xml",
      """
      <test-suite><target id="a" address="C0:FF:EE:00:00:03"/>
      <test id="t" target="a"><connect/><sleep timeout="60000"/></test>
      <run-test ref="t"/><run-test ref="t"/></test-suite>
      """
    )
    let running = try RunningProgram(
      blerun: ["run", long, "--real-time", "--simulate", "Simulators/devices/battery.yaml"]
        + ["--output", "json"] + reports("a.xml")
    )
    try running.waitForOutput("\"operation\":\"sleep\"")
    running.send(SIGTERM)
    #expect(running.end().status == 143)
    let report = try folder.text("a.xml")
    #expect(report.contains("<testsuites name=\"blerun\" tests=\"2\""), "\(report)")
    #expect(report.contains("SIGTERM") && report.contains("2  sleep"), "\(report)")
  }
}
