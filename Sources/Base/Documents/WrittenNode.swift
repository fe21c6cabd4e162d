// YAML that the program writes: nodes with remarks.
//
// The only place that indents lines and quotes scalars. A written document is read back as the same
// nodes.

/// A node of a document to be written, with remarks, which become comments.
///
/// ```
/// var device: [WrittenNode.Line<WrittenNode.Entry>] = []
/// device.remark("recorded from hci0")
/// device.add("name", .text("Soil 7"))
/// device.add("link", .row([.init("mtu", .plain("247"))]), remark: "the largest")
/// print(WrittenNode.mapping(device).lines.joined(separator: "\n"))
/// // # recorded from hci0
/// // name: "Soil 7"
/// // link: { mtu: 247 } # the largest
/// ```
package indirect enum WrittenNode: Hashable, Sendable {
  /// A number, a boolean or a word of this program: written as it is, unless YAML needs quotes
  /// there. An empty one is null.
  case plain(String)
  /// A text in double quotes.
  case quoted(String)
  /// A mapping on one line: `{ read: battery-level, timeout: 5s }`.
  case row([Entry])
  /// A list on one line: `[read, notify]`.
  case words([WrittenNode])
  /// A mapping with a line for each entry. In a row it is on the row's line, without remarks.
  case mapping([Line<Entry>])
  /// A list with a dash for each item. In a row it is on the row's line, without remarks.
  case list([Line<WrittenNode>])

  /// An entry of a mapping.
  package struct Entry: Hashable, Sendable {
    /// The key. YAML reads no key of more than 1024 characters, escapes counted.
    package let key: String
    package let value: WrittenNode

    package init(_ key: String, _ value: WrittenNode) {
      self.key = key
      self.value = value
    }
  }

  /// A line of a mapping or a list.
  package enum Line<Part: Hashable & Sendable>: Hashable, Sendable {
    /// An entry or an item, and the remark behind it.
    case part(Part, remark: String?)
    /// A remark on its own line.
    case remark(String)

    fileprivate var part: Part? { if case .part(let part, _) = self { part } else { nil } }
  }

  /// A text from outside: in quotes, unless it is a word that every reader of YAML takes for a text.
  package static func text(_ text: String) -> WrittenNode {
    let begins = text.utf8.first.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
    return begins == true && text.utf8.allSatisfy(\.isWordOctet) ? word(text) : .quoted(text)
  }

  /// A name from outside that is never a number: in quotes where a version of YAML takes it for a
  /// boolean or null, or needs them.
  package static func word(_ text: String) -> WrittenNode {
    let keywords = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
    return keywords.contains(text.lowercased()) ? .quoted(text) : .plain(text)
  }

  /// The lines of the document.
  package var lines: [String] {
    var lines: [String] = []
    write(depth: 0, to: &lines)
    return lines
  }

  // MARK: Lines

  private func write(depth: Int, to lines: inout [String]) {
    let indent = String(repeating: "  ", count: depth)
    switch self {
    case .mapping(let entries) where !entries.isEmpty:
      for entry in entries {
        switch entry {
        case .remark(let text): lines.append(indent + Self.comment(text))
        case .part(let entry, let remark):
          let end = remark.map { " " + Self.comment($0) } ?? ""
          let key = indent + Self.key(entry.key) + ":"
          if entry.value.isBlock {
            lines.append(key + end)
            entry.value.write(depth: depth + 1, to: &lines)
          } else {
            let isNull = entry.value == .plain("")
            lines.append(key + (isNull ? "" : " " + entry.value.onOneLine(inRow: false)) + end)
          }
        }
      }
      if !entries.contains(where: { $0.part != nil }) { lines.append(indent + "{}") }
    case .list(let items) where !items.isEmpty:
      for item in items {
        switch item {
        case .remark(let text): lines.append(indent + Self.comment(text))
        case .part(let item, let remark):
          let first = lines.count
          if item.isBlock {
            if let remark { lines.append(indent + "  " + Self.comment(remark)) }
            item.write(depth: depth + 1, to: &lines)
          } else {
            let end = remark.map { " " + Self.comment($0) } ?? ""
            lines.append(indent + "  " + item.onOneLine(inRow: false) + end)
          }
          lines[first] = indent + "- " + lines[first].dropFirst(indent.count + 2)
        }
      }
      if !items.contains(where: { $0.part != nil }) { lines.append(indent + "[]") }
    case .plain, .quoted, .row, .words, .mapping, .list:
      lines.append(indent + onOneLine(inRow: false))
    }
  }

  /// Whether the node has its own lines.
  private var isBlock: Bool {
    switch self {
    case .mapping(let lines): !lines.isEmpty
    case .list(let lines): !lines.isEmpty
    case .plain, .quoted, .row, .words: false
    }
  }

  /// The node on one line.
  ///
  /// - Parameter inRow: Whether commas and brackets around it end a scalar without quotes.
  private func onOneLine(inRow: Bool) -> String {
    switch self {
    case .plain(""): "null"
    case .plain(let text): Self.needsQuotes(text, inRow: inRow) ? text.quotedForYAML : text
    case .quoted(let text): text.quotedForYAML
    case .row(let entries): Self.row(entries)
    case .words(let nodes): Self.words(nodes)
    case .mapping(let lines): Self.row(lines.compactMap(\.part))
    case .list(let lines): Self.words(lines.compactMap(\.part))
    }
  }

  private static func row(_ entries: [Entry]) -> String {
    let parts = entries.map { "\(key($0.key)): \($0.value.onOneLine(inRow: true))" }
    return parts.isEmpty ? "{}" : "{ \(parts.joined(separator: ", ")) }"
  }

  private static func words(_ nodes: [WrittenNode]) -> String {
    "[\(nodes.map { $0.onOneLine(inRow: true) }.joined(separator: ", "))]"
  }

  /// A key on its line. `null` is quoted even as a key: without quotes it would not be a name.
  private static func key(_ text: String) -> String {
    let isNull = text.lowercased() == "null"
    return isNull || needsQuotes(text, inRow: true) ? text.quotedForYAML : text
  }

  private static func comment(_ text: String) -> String { "# \(text.onOneLine)" }

  // MARK: Quotes

  /// Whether YAML would read a scalar without quotes as something else, or not at all.
  ///
  /// - Parameter inRow: Whether it is in a row, or a key: there `:`, `,`, `/` and `#` are quoted,
  ///   too.
  package static func needsQuotes(_ text: String, inRow: Bool) -> Bool {
    guard let first = text.utf8.first, let last = text.utf8.last else { return true }
    let isSafe = text.utf8.allSatisfy { octet in
      octet.isWordOctet || "._+".utf8.contains(octet) || !inRow && ":,/#".utf8.contains(octet)
    }
    // A leading `-` begins a number, or else an item of a list or the end of a document.
    let isSigned = first == UInt8(ascii: "-") && Double(text) == nil
    let mayBegin = !isSigned && !":,#".utf8.contains(first) && text != "..."
    return !isSafe || !mayBegin || last == UInt8(ascii: ":")
  }
}

extension Array {
  /// Appends an entry, with a remark behind it.
  package mutating func add(_ key: String, _ value: WrittenNode, remark: String? = nil)
  where Element == WrittenNode.Line<WrittenNode.Entry> {
    append(.part(.init(key, value), remark: remark))
  }

  /// Appends an item, with a remark behind it.
  package mutating func add(_ item: WrittenNode, remark: String? = nil)
  where Element == WrittenNode.Line<WrittenNode> {
    append(.part(item, remark: remark))
  }

  /// Appends a remark on its own line.
  package mutating func remark<Part>(_ text: String) where Element == WrittenNode.Line<Part> {
    append(.remark(text))
  }
}

extension UInt8 {
  fileprivate var isWordOctet: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    // open: octets
    default: false
    }
  }
}

extension String {
  /// The text in double quotes: a string of JSON is one of YAML, too.
  fileprivate var quotedForYAML: String { JSONValue.string(self).text }

  /// The text with its line breaks and invisible characters escaped, as in double quotes, but
  /// without the quotes.
  package var onOneLine: String {
    let isPrintable = unicodeScalars.allSatisfy(\.isPrintable)
    return isPrintable ? self : String(quotedForYAML.dropFirst().dropLast())
  }
}
