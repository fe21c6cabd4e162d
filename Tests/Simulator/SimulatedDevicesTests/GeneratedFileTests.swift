// The schemas and the tables of Simulators/README.md match the descriptions in the code.
//
// With UPDATE_GENERATED=1 the tests write them instead.

import Fixtures
import Foundation
import SimulatedDevices
import Testing

@Suite("Generated files of Simulators", .serialized)
struct GeneratedFileTests {
  private static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_GENERATED"] != nil
  private static let folder = SchemaTests.folder

  private func compare(_ name: String, with text: String) throws {
    let file = Self.folder.appending(path: name)
    if Self.isUpdating { try text.write(to: file, atomically: true, encoding: .utf8) }
    let found = try String(contentsOf: file, encoding: .utf8)
    #expect(found == text, "\(name) is not what the description makes")
  }

  @Test("the schemas are up to date")
  func schemas() throws {
    try compare("device.schema.json", with: DeviceFile.schema)
    try compare("scenario.schema.json", with: ScenarioFile.schema)
  }

  @Test("the generated tables are up to date, each between its markers")
  func tables() throws {
    var text = try String(contentsOf: Self.folder.appending(path: "README.md"), encoding: .utf8)
    for table in ScenarioFile.tables {
      let (begin, end) = ("<!-- table \(table.name) -->\n", "<!-- end -->")
      let parts = text.components(separatedBy: begin)
      try #require(parts.count == 2, "\(begin)")
      let rest = try #require(parts[1].range(of: end), "no end of \(table.name)")
      text = parts[0] + begin + "\n" + table.text + "\n" + parts[1][rest.lowerBound...]
    }
    let markers = text.components(separatedBy: "<!-- table ").count - 1
    #expect(markers == ScenarioFile.tables.count)
    try compare("README.md", with: text)
  }

  @Test("the table of scenarios is up to date with the scenario files")
  func scenarios() throws {
    let text = try String(contentsOf: Self.folder.appending(path: "README.md"), encoding: .utf8)
    let (begin, end) = ("<!-- scenarios -->\n", "<!-- end -->")
    let parts = text.components(separatedBy: begin)
    try #require(parts.count == 2)
    let rest = try #require(parts[1].range(of: end))
    let rows = ScenarioHeader.all(in: Self.folder.appending(path: "scenarios").path).map {
      let arguments = $0.commands.map { "`\($0)`" }.joined(separator: "; ")
      return "| `\($0.name).yaml` | \($0.purpose) | \(arguments) |\n"
    }
    let head = "| scenario | what it is for | shown by |\n|---|---|---|\n"
    let table = "\n" + head + rows.joined() + "\n"
    try compare("README.md", with: parts[0] + begin + table + parts[1][rest.lowerBound...])
  }
}
