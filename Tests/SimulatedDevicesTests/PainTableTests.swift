// The table of pains in Simulators/README.md: each has its faults, and every fault its pain.

import Fixtures
import Foundation
import SimulatedDevices
import Testing

@Suite("The table of pains")
struct PainTableTests {
  private struct Row {
    let number: Int
    let faults: [String]
    let scenarios: [String]
    let playedBy: String
  }

  private static func words(_ cell: Substring, _ pattern: Regex<(Substring, Substring)>) -> [String]
  {
    cell.matches(of: pattern).map { String($0.1) }
  }

  private static let rows: [Row] = {
    let text = SimulatorsReadmeTests.text
    guard let start = text.range(of: "### The pains, one by one")?.upperBound,
      let end = text.range(of: "\n## ", range: start..<text.endIndex)?.lowerBound
    else { return [] }
    return text[start..<end].split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
      guard cells.count == 6,
        let number = Int(cells[1].trimmingCharacters(in: .whitespaces))
      else { return nil }
      return Row(
        number: number,
        faults: words(cells[3], /`([^`]+)`/),
        scenarios: words(cells[4], /`([^`]+\.yaml)`/),
        playedBy: cells[4].trimmingCharacters(in: .whitespaces)
      )
    }
  }()

  @Test("it has the 27 pains in order, each with a fault or with why there is none")
  func pains() {
    #expect(Self.rows.map(\.number) == Array(1...27))
    let without = Self.rows.filter(\.faults.isEmpty).map(\.number)
    #expect(without == [25, 27])
    for row in Self.rows where !row.faults.isEmpty {
      #expect(!row.playedBy.isEmpty, "pain \(row.number) is played by nothing")
    }
  }

  @Test("the reader knows every fault in it, and it has every fault that the reader knows")
  func faults() {
    let named = Set(Self.rows.flatMap(\.faults))
    #expect(named == Set(NamedFault.all.map(\.name)))
  }

  @Test("each scenario in it is shipped and has one of the faults of its row")
  func scenarios() throws {
    #expect(Self.rows.flatMap(\.scenarios).count > 20)
    for row in Self.rows {
      for scenario in row.scenarios {
        let file = ScenarioFileTests.folder.appending(path: scenario)
        let text = try String(contentsOf: file, encoding: .utf8)
        let played = Self.words(text[...], /fault: ([a-z-]+)/)
        let isPlayed = !Set(played).isDisjoint(with: row.faults)
        #expect(isPlayed, "\(scenario) has nothing of pain \(row.number)")
      }
    }
  }
}
