// The examples of docs/watch.md print what the page shows.

import Fixtures
import Foundation
import Testing

@Suite("docs/watch.md", .blocking)
struct WatchPageTests {
  private static let commands = (try? Example(in: "docs/watch.md").commands) ?? []

  @Test("the page has examples")
  func examples() { #expect(Self.commands.count >= 6) }

  @Test("each command prints what the page shows, but for its numbers", arguments: commands.indices)
  func command(index: Int) throws {
    let command = Self.commands[index]
    let run = try RunningProgram(
      ["sh", "-c", "'\(binaryPath)' " + command.line.dropFirst("blerun ".count)],
      in: packageFolder,
      environment: ProcessInfo.processInfo.environment,
      limit: .seconds(60)
    ).end()
    #expect(run.status == 0, "\(command.line): \(run.errors)")
    let form = { (line: String) in line.replacing(/[0-9a-f]*[0-9][0-9a-f]*/, with: "#") }
    // Which device is first is not the same each time.
    #expect(
      run.lines.map(form).sorted() == command.output.map(form).sorted(),
      "\(command.line)\n\(run.output)"
    )
  }
}
