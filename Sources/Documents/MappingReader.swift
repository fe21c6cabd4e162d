// Taking a mapping apart, and complaining of everything at once.

import Spelling

/// Reads the keys of a mapping, and collects complaints instead of stopping at the first.
///
/// Every key that is asked for is known; ``finish()`` complains of the others, naming the nearest.
public struct MappingReader {
  /// The mapping itself.
  public let node: Node
  private let entries: [Node.Entry]
  private var known: [String] = []
  /// What is wrong so far.
  public private(set) var problems: [DocumentProblem] = []

  /// Opens a node, which should be a mapping.
  public init(_ node: Node) {
    self.node = node
    entries = node.mapping ?? []
    if node.mapping == nil, !node.isNull {
      problems.append(node.problem(found: node.kind, expected: "a mapping"))
    }
  }

  /// The node under `key`; nil when it is not there. The key is known from here on.
  public mutating func optional(_ key: String) -> Node? {
    if !known.contains(key) { known.append(key) }
    return self[key]
  }

  /// The node under `key`, whether the key is known or not.
  public subscript(key: String) -> Node? { entries.first { $0.key == key }?.value }

  /// Whether there is something under `key`.
  public func has(_ key: String) -> Bool { self[key] != nil }

  /// The node under `key`; a complaint when it is not there.
  public mutating func required(_ key: String, expected: String) -> Node? {
    if let node = optional(key) { return node }
    problems.append(node.problem("the key '\(key)' is missing", expected: expected))
    return nil
  }

  /// What `read` makes of the node under `key`; a complaint when it makes nothing of it.
  public mutating func optional<Value>(
    _ key: String,
    expected: String,
    _ read: (Node) -> Value?
  ) -> Value? {
    guard let node = optional(key) else { return nil }
    return value(of: node, expected: expected, read)
  }

  /// The same, with a complaint when the key is not there.
  public mutating func required<Value>(
    _ key: String,
    expected: String,
    _ read: (Node) -> Value?
  ) -> Value? {
    guard let node = required(key, expected: expected) else { return nil }
    return value(of: node, expected: expected, read)
  }

  private mutating func value<Value>(
    of node: Node,
    expected: String,
    _ read: (Node) -> Value?
  ) -> Value? {
    if let value = read(node) { return value }
    problems.append(node.problem(expected: expected))
    return nil
  }

  /// Adds complaints that were found elsewhere.
  public mutating func complain(_ more: [DocumentProblem]) { problems += more }

  /// Complains of keys that nobody asked for.
  ///
  /// - Returns: All complaints.
  public mutating func finish() -> [DocumentProblem] {
    for entry in entries where !known.contains(entry.key) {
      let nearest = Spelling.nearest(to: entry.key, among: known)
      problems.append(
        DocumentProblem(
          entry.keyPlace,
          path: entry.value.path,
          "unknown key '\(entry.key)'",
          expected: nearest == nil ? "one of " + known.joined(separator: ", ") : nil,
          nearest: nearest
        )
      )
    }
    return problems
  }
}
