// The examples of docs/page.md: each writes a page.

import Fixtures
import Foundation
import Testing

@Suite("docs/page.md", .blocking)
struct ReportPageTests {
  private static let commands: [String] = {
    let page = try? String(contentsOfFile: packageFolder + "/docs/page.md", encoding: .utf8)
    return (page ?? "").split(separator: "\n").filter { $0.hasPrefix("    blerun ") }
      .map { String($0.dropFirst("    blerun ".count)) }
  }()

  @Test("the page has examples")
  func examples() { #expect(Self.commands.count == 2) }

  @Test("each example writes a page on which something failed", arguments: commands)
  func example(command: String) throws {
    let folder = try TemporaryFolder()
    let line = command.replacing("--report ", with: "--report \(folder.path)/")
    let run = try RunningProgram(
      ["sh", "-c", "'\(binaryPath)' \(line)"],
      in: packageFolder,
      limit: .seconds(60)
    ).end()
    #expect(run.status == 1, "\(run.errors)")
    let name = try #require(command.split(separator: " ").last)
    let page = try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
    #expect(page.contains("<h2>What went wrong</h2>"))
    // The pictures are of what the page describes.
    let lanes = ["Attempt 1<small>failed</small>", "Connection"]
    #expect(lanes.allSatisfy { page.contains("<div class=\"name\">\($0)</div>") })
  }
}
