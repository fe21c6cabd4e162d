// What the comments at the top of a scenario file state: what it is for, and what shows it.

import Foundation

/// The header of a shipped scenario.
package struct ScenarioHeader: Sendable, CustomStringConvertible {
  /// A command that shows what a scenario is for.
  package struct Shown: Sendable {
    /// The arguments of `blerun run`, without the scenario.
    package let arguments: String
    /// What is printed, or is on the bus; ` … ` is anything between two parts.
    package let text: String

    package func isFound(in output: String) -> Bool {
      var rest = output[...]
      for part in text.components(separatedBy: " … ") {
        guard let range = rest.range(of: part) else { return false }
        rest = rest[range.upperBound...]
      }
      return true
    }
  }

  /// The file's name without its extension.
  package let name: String
  package let purpose: String
  package let shown: [Shown]
  private let text: String

  package var description: String { name }

  private init(name: String, text: String) {
    self.name = name
    self.text = text
    var (purpose, shown): ([String], [Shown]) = ([], [])
    var arguments: String?
    // The first line is for editors.
    let comments = text.split(separator: "\n").prefix { $0.hasPrefix("#") }.dropFirst()
    for line in comments.map({ $0.drop { $0 == "#" || $0 == " " } }) {
      if line.hasPrefix("Try: ") {
        arguments = String(line.dropFirst(5))
      } else if line.hasPrefix("Shows: "), let given = arguments {
        shown.append(Shown(arguments: given, text: String(line.dropFirst(7))))
      } else {
        purpose.append(String(line))
      }
    }
    self.purpose = purpose.joined(separator: " ")
    self.shown = shown
  }

  /// The headers of the scenarios in a folder, in order of name.
  package static func all(in folder: String) -> [ScenarioHeader] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.filter { $0.hasSuffix(".yaml") }.sorted().compactMap { file in
      guard let text = try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8) else {
        return nil
      }
      return ScenarioHeader(name: String(file.dropLast(5)), text: text)
    }
  }

  /// The scenario without its faults, for a file anywhere.
  package func withoutFaults(in folder: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.prefix { $0 != "faults:" }.joined(separator: "\n")
      .replacingOccurrences(of: "use: ../", with: "use: \(folder)/../") + "\n"
  }
}
