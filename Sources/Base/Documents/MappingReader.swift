// Reads a mapping and reports all errors at once.

/// Reads the keys of a mapping, and collects errors instead of stopping at the first.
///
/// Reading a key makes it known. ``finish()`` reports the other keys, each with the nearest known
/// one.
public struct MappingReader {
  /// The mapping itself.
  public let node: Node
  private let entries: [Node.Entry]
  private var known: [String] = []
  /// The errors so far.
  public private(set) var problems: [Problem] = []

  /// Starts to read a node. A node that is not a mapping is an error.
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

  /// The node under `key`; nil if the key is missing. Makes the key known.
  public mutating func optional(_ key: String) -> Node? {
    if !known.contains(key) { known.append(key) }
    return self[key]
  }

  /// The node under `key`; nil if the key is missing. Does not make the key known.
  public subscript(key: String) -> Node? { entries.first { $0.key == key }?.value }

  /// Whether the key is present.
  public func has(_ key: String) -> Bool { self[key] != nil }

  /// Whether some key of the mapping is not known yet.
  package var hasUnknownKeys: Bool { entries.contains { !known.contains($0.key) } }

  /// The node under `key`; an error if the key is missing. Makes the key known.
  public mutating func required(_ key: String, expected: String) -> Node? {
    if let node = optional(key) { return node }
    problems.append(node.problem("the key '\(key)' is missing", expected: expected))
    return nil
  }

  /// The value that `read` returns for the node under `key`; nil is an error. Makes the key known.
  public mutating func optional<Value>(
    _ key: String, expected: String, _ read: (Node) -> Value?
  ) -> Value? {
    guard let node = optional(key) else { return nil }
    return value(of: node, expected: expected, read)
  }

  /// The value that `read` returns for the node under `key`; nil or a missing key is an error.
  /// Makes the key known.
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

  /// Adds errors that other code has found.
  public mutating func add(_ more: [Problem]) { problems += more }

  /// Adds an error for each unknown key, and returns all errors.
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
  /// The problem of a key such as `on` that a YAML 1.1 program read as a truth value and wrote back
  /// as `true`; nil for other keys.
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
  /// Whether the text looks like a secret key in the wrong place: at least 24 hexadecimal digits.
  var mayBeSecret: Bool { utf8.count >= 24 && allSatisfy(\.isHexDigit) }

  /// The key of a mapping in messages: in quotes; a possible secret is not shown.
  var shownAsKey: String { mayBeSecret ? "of hexadecimal digits" : "'\(self)'" }
}
