// Help fits the terminal: it is wrapped once, by the width, and not before.

import Fixtures
import Foundation
import Testing

@Suite("Help", .blocking)
struct HelpTests {
  private func help(_ words: [String], columns: Int) throws -> [String] {
    let ended = try RunningProgram(
      blerun: words + ["--help"],
      environment: ["COLUMNS": "\(columns)"]
    ).end()
    #expect(ended.status == 0)
    return ended.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The command of these words and those below it, as help lists them.
  private func commands(_ words: [String] = []) throws -> [[String]] {
    let lines = try help(words, columns: 80)
    guard let start = lines.firstIndex(of: "SUBCOMMANDS:") else { return [words] }
    let names = lines[(start + 1)...].prefix { !$0.isEmpty }
      .filter { !$0.hasPrefix("   ") }.compactMap {
        $0.split(separator: " ").first.map(String.init)
      }
    return try [words] + names.flatMap { try commands(words + [$0]) }
  }

  @Test("no line is wrapped twice", arguments: [80, 60])
  func wrapped(columns: Int) throws {
    let commands = try commands()
    #expect(commands.contains(["run"]) && commands.contains(["history", "prune"]))
    for command in commands {
      let text = try help(command, columns: columns).prefix { !$0.hasPrefix("USAGE:") }
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
