// Reports of suites of nRF Connect: into files, and on standard output.

import Fixtures
import Foundation
import FoundationXML
import Testing

@Suite("Reports of a suite", .blocking)
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
      <test id="bad" target="a"><connect/><read-phy/>
      <read description="How full" service-uuid="180F" characteristic-uuid="2A19">
      <assert-value description="Half" value="32"/></read><sleep timeout="1"/></test>
      <run-test ref="good" description="once"/><run-test ref="bad"/></test-suite>
      """
    )
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8)
  }

  private func reports(_ names: String...) -> [String] {
    names.flatMap { ["--report", folder.path + "/" + $0] }
  }

  private func run(_ arguments: [String]) throws -> RunningProgram.Ended {
    try RunningProgram(
      blerun: ["run", suite, "--simulate", "Simulators/devices/battery.yaml"] + arguments
    ).end()
  }

  @Test(
    "JUnit has a suite for each test and a case for each operation, as it was judged",
    .disabled(if: Sanitizer.watchesAddresses, "the nodes of FoundationXML keep one another")
  )
  func junit() throws {
    let ended = try run(["--output", "junit", "--warn-unsupported"] + reports("a.xml"))
    #expect(ended.status == 1, "\(ended.errors)")
    #expect(ended.output == (try text("a.xml")))
    let root = try XMLDocument(xmlString: ended.output).rootElement()
    let suites = root?.elements(forName: "testsuite") ?? []
    func attributes(_ name: String, _ elements: [XMLElement]) -> [String] {
      elements.map { $0.attribute(forName: name)?.stringValue ?? "-" }
    }
    #expect(root?.attribute(forName: "name")?.stringValue == "Cells & co")
    #expect(attributes("name", suites) == ["1  Goes well, once", "2  bad"])
    #expect(attributes("tests", suites) == ["3", "3"])
    #expect(attributes("failures", suites) == ["0", "1"])
    #expect(attributes("errors", suites) == ["0", "0"])
    #expect(attributes("skipped", suites) == ["0", "1"])
    let cases = suites[1].elements(forName: "testcase")
    #expect(
      attributes("name", cases) == [
        "1  connect", "2  read-phy", "3  How full  read battery/battery-level",
      ]
    )
    #expect(attributes("classname", cases)[0] == "Cells & co.2  bad")
    let skipped = cases[1].elements(forName: "skipped")
    #expect(attributes("message", skipped)[0].contains("PHY"))
    let failure = cases[2].elements(forName: "failure")
    #expect(attributes("type", failure) == ["expectation-not-met"])
    #expect(attributes("message", failure)[0].contains("Half: the value is 64, not 32"))
    let said = suites[0].elements(forName: "system-out").first?.stringValue ?? ""
    #expect(said.contains("note   warning: Half: the value is 64, not 32"), "\(said)")
    #expect(said.contains("note   failed, as expected: "), "\(said)")
    let device = suites[0].elements(forName: "properties").first?.elements(forName: "property")
    #expect(device?.first?.attribute(forName: "value")?.stringValue == "C0:FF:EE:00:00:03")
  }

  @Test("TAP has a test for each test and a subtest of its operations; what cannot be done fails")
  func tap() throws {
    let ended = try run(["--output", "tap"] + reports("a.tap"))
    #expect(ended.status == 1)
    #expect(ended.output == (try text("a.tap")))
    let points = ended.lines.filter { $0.hasPrefix("    ") }
    #expect(ended.output.hasPrefix("TAP version 14\n1..2\n# Subtest: 1  Goes well, once\n"))
    #expect(points.contains("    # warning: Half: the value is 64, not 32"), "\(ended.output)")
    #expect(ended.lines.contains("ok 1 - 1  Goes well, once"))
    #expect(ended.lines.contains("    not ok 2 - 2  read-phy"))
    #expect(ended.lines.contains("      code: \"not-supported-here\""))
    #expect(ended.lines.contains("not ok 2 - 2  bad"))
  }

  @Test("the other kinds of file: a page, values, and what is printed as things happen")
  func others() throws {
    let ended = try run(reports("a.html", "a.csv", "a.jsonl", "a.txt"))
    #expect(ended.status == 1)
    #expect(try text("a.txt") == ended.output)
    #expect(try text("a.jsonl") == (try run(["--output", "json"]).output))
    let page = try text("a.html")
    #expect(page.contains("2 tests: 1 ok, 1 failed") && page.contains("<h2>Tests</h2>"))
    #expect(page.contains("<h2>1  Goes well, once</h2>"))
    #expect(
      page.contains("<p>On <bdi>C0:FF:EE:00:00:03</bdi>.</p>")
        && page.contains("the value is 64, not 32")
    )
    let rows = try text("a.csv").split(separator: "\n")
    #expect(rows.count == 2 && rows[0].hasPrefix("time,offset,run,device,attempt,step,operation"))
    #expect(
      rows[1].hasSuffix(
        ",C0:FF:EE:00:00:03,1,1.2,read,battery/battery-level,percent,100,%,64"
      ),
      "\(rows[1])"
    )
  }

  @Test("a report that cannot be made ends the suite before it begins")
  func unwritable() throws {
    let ended = try run(reports("missing/a.xml"))
    #expect(ended.status == 74 && ended.output == "")
  }

  @Test("what was begun is reported when a signal ends the suite")
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
    let report = try text("a.xml")
    #expect(report.contains("<testsuites name=\"blerun\" tests=\"2\""), "\(report)")
    #expect(report.contains("SIGTERM") && report.contains("2  sleep"), "\(report)")
  }
}
