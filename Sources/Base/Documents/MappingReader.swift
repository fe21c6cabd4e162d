// Reads a mapping and reports all errors at once.

/// Reads the keys of a mapping, and collects errors instead of stopping at the first.
///
/// Every key that is read is known; ``finish()`` reports the unknown keys, with the nearest known
/// one.
public struct MappingReader {
  /// The mapping itself.
  public let node: Node
  private let entries: [Node.Entry]
  private var known: [String] = []
  /// The errors so far.
  public private(set) var problems: [Problem] = []

  /// Starts to read a node, which should be a mapping.
  ///
  /// ```swift
  /// var reader = MappingReader(try Document.parse("every: 10s", file: "settings.yaml"))
  /// let every = reader.optional("every", expected: "a duration such as 10s") { $0.duration }
  /// let errors = reader.finish()
  /// guard errors.isEmpty else { throw DocumentErrors(errors) }
  /// ```
  public init(_ node: Node) {
    self.node = node
    entries = node.mapping ?? []
    if node.mapping == nil, !node.isNull {
      problems.append(node.problem(found: node.kind, expected: "a mapping"))
    }
  }

  /// The node under `key`; nil without one. The key is known from here on.
  public mutating func optional(_ key: String) -> Node? {
    if !known.contains(key) { known.append(key) }
    return self[key]
  }

  /// The node under `key`, whether the key is known or not.
  public subscript(key: String) -> Node? { entries.first { $0.key == key }?.value }

  /// Whether the key is present.
  public func has(_ key: String) -> Bool { self[key] != nil }

  /// Whether a key of the mapping is unknown so far.
  package var hasUnknownKeys: Bool { entries.contains { !known.contains($0.key) } }

  /// The node under `key`; an error when the key is missing.
  public mutating func required(_ key: String, expected: String) -> Node? {
    if let node = optional(key) { return node }
    problems.append(node.problem("the key '\(key)' is missing", expected: expected))
    return nil
  }

  /// The value that `read` returns for the node under `key`; an error when it returns nil.
  public mutating func optional<Value>(
    _ key: String, expected: String, _ read: (Node) -> Value?
  ) -> Value? {
    guard let node = optional(key) else { return nil }
    return value(of: node, expected: expected, read)
  }

  /// The same, with an error when the key is missing.
  public mutating func required<Value>(
    _ key: String, expected: String, _ read: (Node) -> Value?
  ) -> Value? {
    guard let node = required(key, expected: expected) else { return nil }
    return value(of: node, expected: expected, read)
  }

  private mutating func value<Value>(
    of node: Node, expected: String, _ read: (Node) -> Value?
  ) -> Value? {
    if let value = read(node) { return value }
    problems.append(node.problem(expected: expected))
    return nil
  }

  /// Adds errors that were found elsewhere.
  public mutating func complain(_ more: [Problem]) { problems += more }

  /// Reports the unknown keys.
  ///
  /// - Returns: All errors.
  public mutating func finish() -> [Problem] {
    for entry in entries where !known.contains(entry.key) {
      let lost = entry.lost(among: known)
      let unknown = Problem.unknown(
        "unknown key \(entry.key.shownAsKey)", entry.key, among: known, besides: entries.map(\.key)
      )
      problems.append(
        (lost ?? unknown)
          .at(entry.keyPlace, path: entry.key.mayBeSecret ? node.path : entry.value.path)
      )
    }
    return problems
  }
}

extension Node.Entry {
  /// The problem of a key such as `on` that a program read as YAML 1.1, where it is a truth value, and wrote
  /// as that; nil for other keys.
  fileprivate func lost(among known: [String]) -> Problem? {
    let words = ["true": ["on", "yes"], "false": ["off", "no"]][key.lowercased()]
    guard let word = words?.first(where: { known.contains($0) }) else { return nil }
    return Problem(
      "the key '\(key)' was '\(word)': programs that read YAML 1.1, such as PyYAML, take it for \(key)",
      expected: "\"\(word)\" in quotes where such a program reads it"
    )
  }
}

extension String {
  /// Whether it looks like the key of a cipher, which somebody has written in place of another text:
  /// hexadecimal digits, for 12 bytes at least.
  var mayBeSecret: Bool { utf8.count >= 24 && allSatisfy(\.isHexDigit) }

  /// A key of a mapping in a message: in quotes, unless it may be a secret.
  var shownAsKey: String { mayBeSecret ? "of hexadecimal digits" : "'\(self)'" }
}
