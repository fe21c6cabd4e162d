// Where the words of the glossary are looked for: the comments, names and strings of the sources.
//
// The pages of `docs` and the README are checked too.

import Foundation

/// The glossary as regular expressions, made once.
struct GlossaryRules {
  private let rows: [(scope: GlossaryEntry.Scope, expression: NSRegularExpression, instead: String)]

  init(_ entries: [GlossaryEntry] = glossary) throws {
    rows = try entries.map { entry in
      let pattern = entry.pattern.replacing(" ", with: "[\\s/]+")
      // A word ends where no letter follows; a quotation mark or a backslash ends one, too.
      let bounded = "(?<![a-z0-9])(?:\(pattern))(?![a-z])"
      return (entry.scope, try NSRegularExpression(pattern: bounded), entry.instead)
    }
  }

  /// Texts that keep their words: names on the wire, which other programs compare, and the labels of
  /// random generators, on which the draws of a seed depend.
  static let wireNames = ["heard", "octets", "told", "blow", "blows", "definite"]

  /// The places of a file that use a word of the left column.
  func check(_ file: SourceFile) -> [Finding] {
    let anywhere = Self.words(of: Self.withoutWireNames(file.text))
    let code = file.isSwift ? Self.words(of: file.code) : ""
    let strings = file.isSwift ? Self.sentences(of: file) : anywhere
    var findings: [Finding] = []
    for (scope, expression, instead) in rows {
      let text =
        switch scope {
        case .anywhere: anywhere
        case .identifiers: code
        case .sentences: strings
        }
      let whole = NSRange(location: 0, length: text.utf16.count)
      for match in expression.matches(in: text, range: whole) {
        guard let range = Range(match.range, in: text) else { continue }
        let line = text.utf8[..<range.lowerBound].count { $0 == UInt8(ascii: "\n") } + 1
        let words = text[range].split { $0.isWhitespace || $0 == "/" }.joined(separator: " ")
        findings.append(file.finding(line: line, "“\(words)”: write \(instead)"))
      }
    }
    return findings.sorted { $0.line < $1.line }
  }

  /// Lower-case words: `addHearer` is `add hearer`.
  static func words(of text: String) -> String {
    var words: [UInt8] = []
    words.reserveCapacity(text.utf8.count * 9 / 8)
    var before: UInt8 = 0
    for octet in text.utf8 {
      let isUpper = octet >= UInt8(ascii: "A") && octet <= UInt8(ascii: "Z")
      if isUpper, before >= UInt8(ascii: "a"), before <= UInt8(ascii: "z") {
        words.append(UInt8(ascii: " "))
      }
      words.append(isUpper ? octet | 0x20 : octet == UInt8(ascii: "_") ? UInt8(ascii: " ") : octet)
      before = octet
    }
    return String(decoding: words, as: UTF8.self)
  }

  /// The strings that have several words, lower case, at their lines.
  private static func sentences(of file: SourceFile) -> String {
    let strings = Masking.stringsOnly(withoutWireNames(file.text)).split(
      separator: "\n",
      omittingEmptySubsequences: false
    )
    return strings.map { line in
      line.split(separator: " ").count > 1 ? words(of: String(line)) : ""
    }.joined(separator: "\n")
  }

  private static func withoutWireNames(_ text: String) -> String {
    wireNames.reduce(text) { text, name in
      text.replacing("\"\(name)\"", with: "\"\"").replacing("`\(name)`", with: "``")
    }
  }
}

extension GlossaryRules {
  /// Pages that quote names of tests or of classes of failures in other words.
  static let pages = ["docs/bad-days.md", "docs/output.md"]

  static func isExcepted(_ path: String) -> Bool { pages.contains(path) }
}
