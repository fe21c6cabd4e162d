// The examples of a page of the documentation.

import Fixtures
import Foundation

/// A page with code blocks that are run.
struct Example {
  /// A command of the page and what it prints there.
  struct Command {
    let line: String
    let output: [String]
  }

  let text: String

  /// - Parameter page: Below the folder of the package.
  init(in page: String) throws {
    text = try String(contentsOfFile: projectFolder + "/" + page, encoding: .utf8)
  }

  /// The code blocks of a language, in order.
  func blocks(_ language: String) -> [String] {
    text.components(separatedBy: "```\(language)\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
  }

  /// The blocks of a language that have a name, in order.
  func files(_ language: String = "yaml") -> [(name: String, text: String)] {
    text.components(separatedBy: "```\(language) ").dropFirst().map { block in
      let lines = block.components(separatedBy: "```")[0].split(separator: "\n", maxSplits: 1)
      return (String(lines[0]), String(lines.dropFirst().first ?? ""))
    }
  }

  /// The commands of the blocks that show a console, in order, each with what follows it.
  var commands: [Command] {
    var commands: [Command] = []
    let blocks = blocks("console").map { $0.components(separatedBy: "\n").dropLast() }
    for line in blocks.joined() {
      if line.hasPrefix("$ ") {
        commands.append(Command(line: String(line.dropFirst(2)), output: []))
      } else if let last = commands.popLast() {
        commands.append(Command(line: last.line, output: last.output + [line]))
      }
    }
    return commands
  }
}
