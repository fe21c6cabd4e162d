// Commands that start with closed standard descriptors, or may open few others.

import Fixtures
import Foundation
import FoundationXML
import Testing

@Suite("Closed descriptors", .blocking)
struct ClosedDescriptorTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "with standard descriptors closed, no output ends up in a report",
    arguments: [("<&-", 0), (">&-", 74), ("2>&-", 0), ("<&- 2>&-", 0), ("<&- >&- 2>&-", 74)]
  )
  func report(closed: String, status: Int32) throws {
    let path = folder.path + "/report.xml"
    let run = "\"$0\" run -e 'read battery-level' --report '\(path)'"
    let ended = try shell("\(run) --simulate Simulators/devices/thermometer.yaml \(closed)")
    #expect(ended.status == status, "\(ended.errors)")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(XMLParser(data: Data(text.utf8)).parse(), "\(text)")
  }

  @Test("too few descriptors are reported on standard error", arguments: [6, 8, 12, 15])
  func few(limit: Int) throws {
    for command in ["run --simulate Simulators/devices/battery.yaml", "history"] {
      let ended = try shell("ulimit -n \(limit); exec \"$0\" \(command)")
      #expect(ended.status == 69)
      #expect(ended.errors.hasPrefix("blerun: "), "\(ended.errors)")
      #expect(ended.errors.hasSuffix("see ulimit -n\n"), "\(ended.errors)")
    }
  }
}
