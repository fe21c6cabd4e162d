// Compares a written document with what is read of it, for property tests.

package import Documents

extension WrittenNode {
  /// The first difference between this node and a node that was read; nil if they are the same.
  ///
  /// Remarks do not count. A plain scalar that YAML cannot have without quotes is one with quotes.
  package func difference(from node: Node) -> String? {
    switch (self, node.content) {
    case (.plain(""), _): node.isNull ? nil : "\(node.path): \(node.content) is not null"
    case (.plain(let text), .scalar(let read, let isPlain)):
      // A word without quotes in a row has none on its own line either.
      read.utf8.elementsEqual(text.utf8) && (isPlain || Self.needsQuotes(text, inRow: true))
        ? nil : "\(node.path): \(read.debugDescription) is not \(text.debugDescription)"
    case (.quoted(let text), .scalar(let read, let isPlain)):
      read.utf8.elementsEqual(text.utf8) && !isPlain
        ? nil : "\(node.path): \(read.debugDescription) is not \(text.debugDescription) in quotes"
    case (.row(let entries), .mapping(let read)): Self.difference(entries, read, at: node)
    case (.words(let items), .sequence(let read)): Self.difference(items, read, at: node)
    case (.mapping(let lines), .mapping(let read)):
      Self.difference(lines.compactMap(\.written), read, at: node)
    case (.list(let lines), .sequence(let read)):
      Self.difference(lines.compactMap(\.written), read, at: node)
    case (.plain, _), (.quoted, _), (.row, _), (.words, _), (.mapping, _), (.list, _):
      "\(node.path): \(node.kind) is not \(self)"
    }
  }

  private static func difference(
    _ entries: [Entry], _ read: [Node.Entry], at node: Node
  ) -> String? {
    let keys = entries.map { Array($0.key.utf8) }
    guard keys == read.map({ Array($0.key.utf8) }) else {
      return "\(node.path): the keys \(read.map(\.key)) are not \(entries.map(\.key))"
    }
    return zip(entries, read).lazy.compactMap { $0.value.difference(from: $1.value) }.first
  }

  private static func difference(
    _ items: [WrittenNode], _ read: [Node], at node: Node
  ) -> String? {
    guard items.count == read.count else {
      return "\(node.path): \(read.count) items are not \(items.count)"
    }
    return zip(items, read).lazy.compactMap { $0.difference(from: $1) }.first
  }
}

extension WrittenNode.Line {
  fileprivate var written: Part? { if case .part(let part, _) = self { part } else { nil } }
}

/// Texts that a careless writer of YAML changes or breaks.
package enum HostileText {
  package static let all: [String] = [
    "", " ", "\t", "\n", "\r\n", " a", "a ", "a\n", "\na", "a\n\n b", "yes", "No", "TRUE", "on",
    "off", "y", "N", "null", "Null", "~", "0", "-1", "+2", "0x1f", "0o7", "0b1", "1_000", "1e5",
    "1.5", ".5", ".inf", "-.Inf", ".NaN", "inf", "nan", "12:30:45", "2001-12-14",
    "2001-12-14t21:59:43.10-05:00", "10s", "-", "- x", "-x", "--", "---", "--- a", "...", "..", ".",
    ":", ": ", "a: b", "a:", ":a", "::", "#", "# x", "a #b", "a#b", "#b", "?", "? a", "?a", "!",
    "!!str", "&a", "*a", "*", "<<", "=", "|", "|-", ">", ">+", "%", "%YAML 1.1", "@", "@a", "`",
    "`a`", "'",
    "''", "\"", "\"\"", "\"a", "a\"b", "it's", "\\", "\\n", "\\u0041", "a\\", "{", "}", "{}", "[",
    "]", "[]", "{a}", "{{a}}", "a,b", ",", ", ", "a/b", "/", "c0:ff:ee:00:00:01", "\u{0}",
    "a\u{0}b",
    "\u{1}", "\u{8}", "\u{1b}[31m", "\u{7f}", "\u{80}", "\u{85}", "\u{a0}", "\u{ad}", "\u{2028}",
    "\u{2029}", "\u{202e}", "\u{feff}", "\u{feff}a", "\u{fffd}",
    String(decoding: [UInt16(0xfdd0)], as: UTF16.self), "\u{fffe}", "\u{ffff}",
    "é", "e\u{301}", "\u{301}", "🌡", "👩‍🔬", "\u{10ffff}", "ä 🌡", "日本語", "مرحبا",
    String(repeating: "long ", count: 60), String(repeating: "x", count: 400),
  ]

  /// One of them, or several in a row.
  package static func random(using generator: inout some RandomNumberGenerator) -> String {
    let count = Int.random(in: 1...6, using: &generator) > 4 ? 3 : 1
    return (0..<count).map { _ in all.randomElement(using: &generator) ?? "" }.joined()
  }
}
