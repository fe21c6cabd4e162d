// The examples of docs/batch.md do what the page says.

import Fixtures
import Foundation
import Testing

@Suite("docs/batch.md", .blocking)
struct BatchPageTests {
  @Test("each example prints what the page shows")
  func examples() throws {
    let page = try Example(in: "docs/batch.md")
    let folder = try TemporaryFolder()
    let names = [
      "evening.yaml", "lamp.yaml", "lamps.yaml", "table.yaml", "found.yaml", "hourly.yaml",
    ]
    let blocks = page.blocks("yaml")
    try #require(blocks.count == names.count)
    for (name, text) in zip(names, blocks) { _ = try folder.file(name, text) }
    _ = try folder.file("lamps.csv", page.blocks("csv")[0])
    let consoles = page.blocks("console")
    #expect(consoles.count == 7)
    for console in consoles {
      let lines = console.split(separator: "\n", omittingEmptySubsequences: false)
      let words = lines[0].split(separator: " ").map(String.init)
      try #require(words.prefix(2) == ["$", "blerun"])
      let run = try RunningProgram(blerun: Array(words.dropFirst(2)), in: folder.path).end()
      #expect(run.output == lines.dropFirst().joined(separator: "\n"), "\(lines[0]) \(run.errors)")
    }
  }
}
