// The comments at the top of a scenario file: its purpose, and commands that show it.

import Foundation

/// The header of a shipped scenario.
package struct ScenarioHeader: Sendable {
  /// The file's name without its extension.
  package let name: String
  package let purpose: String
  /// The arguments of `blerun run` that show the scenario, without the scenario itself.
  package let commands: [String]

  private init(name: String, text: String) {
    self.name = name
    // The first line is for editors.
    let comments = text.split(separator: "\n").prefix { $0.hasPrefix("#") }.dropFirst()
      .map { $0.drop { $0 == "#" || $0 == " " } }
    purpose = comments.filter { !$0.hasPrefix("Try: ") && !$0.hasPrefix("Shows: ") }
      .joined(separator: " ")
    commands = comments.filter { $0.hasPrefix("Try: ") }.map { String($0.dropFirst("Try: ".count)) }
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
}
