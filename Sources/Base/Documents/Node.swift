// A value in a document, with its position.

/// A scalar, a sequence or a mapping, with its position.
public struct Node: Hashable, Sendable {
  /// One entry of a mapping.
  public struct Entry: Hashable, Sendable {
    /// The key as it is written.
    public let key: String
    /// The position of the key.
    public let keyPlace: Place
    /// The value of the key.
    public let value: Node

    /// An entry of a mapping.
    public init(key: String, keyPlace: Place, value: Node) {
      self.key = key
      self.keyPlace = keyPlace
      self.value = value
    }
  }

  /// The content of a node.
  public indirect enum Content: Hashable, Sendable {
    /// A text; without quotes it may be a number, a boolean or null.
    case scalar(String, isPlain: Bool)
    /// A list.
    case sequence([Node])
    /// A mapping, in the order of the file, without duplicate keys.
    case mapping([Entry])
  }

  /// The scalar, list or mapping.
  public let content: Content
  /// The position of its start.
  public let place: Place
  /// The path of keys to the node.
  public let path: String

  /// A node of a document.
  public init(_ content: Content, at place: Place, path: String) {
    self.content = content
    self.place = place
    self.path = path
  }

  /// The kind of node, for error messages.
  public var kind: String {
    switch content {
    case .scalar: isNull ? "nothing" : "a single value"
    case .sequence(let nodes): nodes.isEmpty ? "an empty list" : "a list"
    case .mapping(let entries): entries.isEmpty ? "an empty mapping" : "a mapping"
    }
  }

  /// The text of a scalar, with or without quotes.
  public var text: String? {
    guard case .scalar(let text, _) = content, !isNull else { return nil }
    return text
  }

  /// Whether the value is null or missing.
  public var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }

  /// The value of a whole number; nil for anything else.
  public var integer: Int? {
    guard case .scalar(let text, isPlain: true) = content else { return nil }
    if text.hasPrefix("0x") { return Int(text.dropFirst(2), radix: 16) }
    return Int(text)
  }

  /// The value of a finite number; nil for anything else.
  public var number: Double? {
    guard case .scalar(let text, isPlain: true) = content, let number = Double(text) else {
      return integer.map { Double($0) }
    }
    return number.isFinite ? number : nil
  }

  /// The value of `true` or `false`; nil for anything else.
  public var truth: Bool? {
    guard case .scalar(let text, isPlain: true) = content else { return nil }
    return ["true": true, "True": true, "false": false, "False": false][text]
  }

  /// The value of a duration such as `10s`, `500ms`, `3m`, `1.5h`; nil for anything else.
  ///
  /// ```swift
  /// let root = try Document.parse("every: 1.5m", file: "settings.yaml")
  /// let every = root.value(of: "every")?.duration  // 90 s
  /// ```
  public var duration: Duration? { text.flatMap { Duration(written: $0) } }

  /// The elements of a list; nil for anything else.
  public var sequence: [Node]? {
    guard case .sequence(let nodes) = content else { return nil }
    return nodes
  }

  /// The elements of a list, or the node itself: for a key with one value or several. An empty list
  /// is returned as the node itself.
  package var several: [Node] {
    guard let nodes = sequence, !nodes.isEmpty else { return [self] }
    return nodes
  }

  /// The entries of a mapping; nil for anything else.
  public var mapping: [Entry]? {
    guard case .mapping(let entries) = content else { return nil }
    return entries
  }

  /// An error about this node.
  ///
  /// ```swift
  /// let root = try Document.parse("name: ''", file: "settings.yaml")
  /// if root.value(of: "name")?.text == "" {
  ///   throw DocumentErrors([root.problem("the name is empty", expected: "a text")])
  /// }
  /// ```
  public func problem(
    _ message: String, expected: String? = nil, nearest: String? = nil
  ) -> Problem {
    Problem(message, expected: expected, nearest: nearest, at: place, path: path)
  }

  /// An error: the node is `found` instead of `expected`.
  public func problem(found: String, expected: String, nearest: String? = nil) -> Problem {
    Problem(found: found, expected: expected, nearest: nearest, at: place, path: path)
  }
}

extension Node {
  /// The node of a JSON value, without a position. Of members with the same key it has the first.
  package init(_ json: JSONValue) {
    let nowhere = Place(file: "JSON")
    let content: Content =
      switch json {
      case .null, .boolean, .number: .scalar(json.text, isPlain: true)
      case .string(let text): .scalar(text, isPlain: false)
      case .array(let values): .sequence(values.map { Node($0) })
      case .object(let members):
        .mapping(
          members.reduce(into: [Entry]()) { entries, member in
            guard !entries.contains(where: { $0.key == member.key }) else { return }
            let value = Node(member.value)
            entries.append(Entry(key: member.key, keyPlace: nowhere, value: value))
          }
        )
      }
    self.init(content, at: nowhere, path: "")
  }
}
