// Words that say nothing, in the names of types, files and folders.

enum WordRules {
  static let empty = [
    "Manager", "Helper", "Helpers", "Util", "Utils", "Utility", "Utilities", "Common", "Core",
    "Engine", "Shared", "Misc",
  ]

  /// Names that the field itself spells with one of these words.
  static let ofTheField = [
    "ObjectManager", "AgentManager", "GattManager", "AdvertisingManager", "ProfileManager",
    "AdvertisementMonitorManager",
  ]

  /// Types, and values called `shared`.
  static func check(_ file: SourceFile) -> [Finding] {
    guard file.isSwift else { return [] }
    var findings = pathFindings(file)
    let kinds = ["struct", "class", "enum", "protocol", "actor", "typealias"]
    for (index, line) in file.codeLines.enumerated() {
      let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
      for (word, next) in zip(words, words.dropFirst()) {
        if kinds.contains(word), let bad = emptyWord(in: next) {
          findings.append(file.finding(line: index + 1, "\(next): “\(bad)” says nothing"))
        }
        if ["let", "var"].contains(word), next == "shared", words.contains("static") {
          findings.append(file.finding(line: index + 1, "no value is called shared"))
        }
      }
    }
    return findings
  }

  private static func pathFindings(_ file: SourceFile) -> [Finding] {
    file.path.split { "/.+".contains($0) }.compactMap { part in
      emptyWord(in: String(part)).map { file.finding(line: 0, "“\($0)” in a path says nothing") }
    }
  }

  /// The first empty word of a name in camel case.
  static func emptyWord(in name: String) -> String? {
    var rest = name
    for known in ofTheField { rest = rest.replacing(known, with: "") }
    var words: [String] = []
    for character in rest {
      if words.isEmpty || character.isUppercase || character == "_" {
        words.append(String(character))
      } else {
        words[words.count - 1].append(character)
      }
    }
    return words.first { empty.contains($0) }
  }
}
