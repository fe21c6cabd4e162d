// Help fits the terminal: it is wrapped once, by the width. What it says is recorded in Tests/Golden.
//
// A process has the width of its terminal.

import ArgumentParser
import Fixtures
import Testing

@testable import Program

@Suite("Help", .blocking)
struct HelpTests {
  /// A command and those below it.
  private static func all(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    [command] + command.configuration.subcommands.flatMap { all($0) }
  }

  @Test("rarely used options appear only in the long help")
  func hidden() {
    let short = Blerun.helpMessage(for: Run.self, columns: 1000)
    let long = Blerun.helpMessage(for: Run.self, includeHidden: true, columns: 1000)
    for text in ["--journal-sync", "(default: 64M)"] {
      #expect(!short.contains(text) && long.contains(text))
    }
    #expect(short.contains("--help-hidden"))
  }

  @Test("help is printed on the narrowest terminal", arguments: [0, 26])
  func narrow(columns: Int) throws {
    let ended = try blerun("run", "--help", environment: ["COLUMNS": "\(columns)"])
    #expect(ended.status == 0 && ended.output.contains("--steps"))
  }

  @Test("no line is wrapped twice", arguments: [80, 60])
  func wrapped(columns: Int) {
    let commands = Self.all(Blerun.self)
    #expect(commands.count > 25)
    for command in commands {
      let text = Blerun.helpMessage(for: command, columns: columns)
        .split(separator: "\n", omittingEmptySubsequences: false)
        .prefix { !$0.hasPrefix("USAGE:") }
      for (line, next) in zip(text, text.dropFirst()) where !line.isEmpty && !next.isEmpty {
        let isExample = line.hasPrefix(" ")
        #expect(isExample == next.hasPrefix(" "), "\(command): \(line)\n\(next)")
        if isExample { continue }
        let first = next.prefix { $0 != " " }
        // The last column stays free.
        #expect(line.count + 1 + first.count >= columns, "\(command): \(line)\n\(next)")
      }
      #expect(text.allSatisfy { $0.count < columns }, "\(command): \(text)")
    }
  }
}
