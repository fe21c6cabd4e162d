// A value of a description, as it was read from a file.
//
// This module reads no files: readers of files make these, and find the places of problems.

/// A scalar, a list or a mapping.
package struct DescriptionNode: Hashable, Sendable {
  package indirect enum Content: Hashable, Sendable {
    /// A text; without quotes it may be a number or a truth value.
    case scalar(String, isPlain: Bool)
    case sequence([DescriptionNode])
    /// The entries in the order of the file.
    case mapping([Entry])
  }

  package struct Entry: Hashable, Sendable {
    package let key: String
    package let value: DescriptionNode

    package init(_ key: String, _ value: DescriptionNode) {
      self.key = key
      self.value = value
    }
  }

  package let content: Content

  package init(_ content: Content) { self.content = content }

  /// The text of a scalar.
  package var text: String? {
    if case .scalar(let text, _) = content { text } else { nil }
  }

  var sequence: [DescriptionNode]? {
    if case .sequence(let nodes) = content { nodes } else { nil }
  }

  var mapping: [Entry]? {
    if case .mapping(let entries) = content { entries } else { nil }
  }

  subscript(key: String) -> DescriptionNode? { mapping?.first { $0.key == key }?.value }

  var truth: Bool? {
    guard case .scalar(let text, isPlain: true) = content else { return nil }
    return ["true": true, "True": true, "false": false, "False": false][text]
  }

  /// A whole number, decimal or hexadecimal after `0x`.
  var whole: Int128? { text.flatMap { Self.whole($0) } }

  static func whole(_ text: String) -> Int128? {
    text.hasPrefix("0x") || text.hasPrefix("0X")
      ? Int128(text.dropFirst(2), radix: 16) : Int128(text)
  }

  /// One number or a range of numbers such as `4..5`.
  static func span(_ text: String) -> ClosedRange<Int128>? {
    if let number = whole(text) { return number...number }
    guard let dots = text.firstRange(of: ".."), let low = whole(String(text[..<dots.lowerBound])),
      let high = whole(String(text[dots.upperBound...])), low <= high
    else { return nil }
    return low...high
  }

  /// The node in messages: its text in quotes, or its kind.
  var shown: String {
    switch content {
    case .scalar(let text, _): text.isEmpty ? "nothing" : "'\(text)'"
    case .sequence(let nodes): nodes.isEmpty ? "an empty list" : "a list"
    case .mapping(let entries): entries.isEmpty ? "an empty mapping" : "a mapping"
    }
  }
}

extension DescriptionNode {
  /// A decoded value as a file has it.
  package init(_ value: DecodedValue) {
    switch value {
    case .integer, .real: self.init(.scalar("\(value)", isPlain: true))
    case .boolean(let truth): self.init(.scalar("\(truth)", isPlain: true))
    case .text, .octets: self.init(.scalar("\(value)", isPlain: false))
    case .list(let values): self.init(.sequence(values.map { DescriptionNode($0) }))
    case .fields(let fields):
      self.init(.mapping(fields.map { Entry($0.name, DescriptionNode($0.value)) }))
    }
  }

  /// The value that it stands for, of which a format makes its own.
  package var value: DecodedValue {
    switch content {
    case .scalar(let text, _): .text(text)
    case .sequence(let nodes): .list(nodes.map(\.value))
    case .mapping(let entries): .fields(entries.map { .init($0.key, $0.value.value) })
    }
  }

  /// The texts of all scalars in it.
  var texts: [String] {
    switch content {
    case .scalar(let text, _): [text]
    case .sequence(let nodes): nodes.flatMap(\.texts)
    case .mapping(let entries): entries.flatMap(\.value.texts)
    }
  }
}

/// A mistake in a description.
package struct DescriptionProblem: Error, Hashable, Sendable {
  package let message: String
  package let expected: String?
  package let nearest: String?
  /// The keys and indices to the value, from the mapping of names.
  package let path: [String]
  /// Whether the key at the end of the path is wrong, not its value.
  package let isOfKey: Bool

  package init(
    _ message: String, expected: String? = nil, nearest: String? = nil, at path: [String],
    isOfKey: Bool = false
  ) {
    self.message = message
    self.expected = expected
    self.nearest = nearest
    self.path = path
    self.isOfKey = isOfKey
  }
}
