// Reports into files: what stands in each, and what happens to one that cannot be written.

import Fixtures
import Foundation
import FoundationXML
import Testing

@Suite("Reports into files", .blocking)
struct ReportFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8)
  }

  private func run(_ steps: String, reports names: String...) throws -> RunningProgram.Ended {
    let reports = names.flatMap { ["--report", folder.path + "/" + $0] }
    return try blerun(
      ["run", "--simulate", "Simulators/devices/thermometer.yaml", "-e", steps] + reports
    )
  }

  @Test("the page of the documentation's example: the device that failed first, values as a plot")
  func page() throws {
    let command =
      "batch docs/samples/batch/batch.yaml --simulate docs/samples/batch/sensors.yaml --report "
    let words = command.split(separator: " ").map(String.init)
    let ended = try blerun(words + [folder.path + "/fleet.html"])
    #expect(ended.status == 1, "\(ended.errors)")
    let page = try text("fleet.html")
    #expect(XMLParser(data: Data(page.utf8)).parse())
    #expect(page.contains("<p class=\"verdict failed\">2 devices: 1 ok, 1 failed</p>"))
    #expect(page.contains("<dt>Received</dt><dd><code>7 % (bytes 07)</code></dd>"))
    #expect(page.contains("<code>docs/samples/batch/chain.yaml:5:5</code>"))
    let places = [
      "<h2>What went wrong</h2>", "<h2>Devices</h2>", "<h2>Soil-2</h2>", "<h2>Soil-1</h2>",
    ]
    let found = try places.map { try #require(page.range(of: $0)).lowerBound }
    #expect(found == found.sorted())
    #expect(page.contains("aria-label=\"ff01: 20 to 24, 3 values\""))
  }

  @Test("a report that cannot be written is told before anything happens")
  func unwritable() throws {
    let ended = try run("read battery-level", reports: "missing/a.xml")
    #expect(ended.status == 74)
    #expect(ended.output == "")
    #expect(ended.errors.contains("missing/a.xml cannot be written: No such file or directory"))
  }

  @Test("a full disk is told at the end, and the chain goes well all the same")
  func full() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/a.xml",
      withDestinationPath: "/dev/full"
    )
    let ended = try run("read battery-level", reports: "a.xml")
    #expect(ended.status == 74)
    #expect(ended.output.contains("ok: 1 step"))
    #expect(ended.errors.contains("a.xml could not be written: No space left on device"))
  }

  @Test("an ending that stands for no report is wrong usage")
  func unknown() throws {
    #expect(try run("read battery-level", reports: "a.pdf").status == 2)
  }
}
