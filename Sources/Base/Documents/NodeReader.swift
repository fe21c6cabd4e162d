// Builds nodes from the events of libyaml, in one pass and within limits.
//
// Values stay texts: the caller interprets them. Keys are compared as texts; a key that is a list
// or a mapping is an error.

import CYaml

/// Builds the tree of one document.
struct NodeReader {
  /// An event of libyaml.
  private struct Event {
    enum Content: Equatable {
      case scalar(String, isPlain: Bool)
      case alias(String)
      case sequence, mapping
      /// The end of a list or a mapping.
      case end
      case streamEnd
      /// The start of the stream, or the start or end of a document.
      case mark
    }

    let content: Content
    var anchor: String?
    let place: Place
  }

  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let text: String
  private let file: String
  private let pairs: SurrogatePairs
  private let limits: DocumentLimits
  private var anchors: [String: Node] = [:]
  /// The number of nodes; those of an alias count at each use.
  private var count = 0
  /// The length of all paths and of the texts of aliases, in bytes.
  private var octets = 0
  private var problems: [Problem] = []
  /// An error for each duplicate key, at its later position.
  private var duplicates: [Problem] = []

  static func root(
    of text: String, file: String, limits: DocumentLimits
  ) throws(DocumentErrors) -> Node {
    let pairs = SurrogatePairs(text)
    var parser = yaml_parser_t()
    precondition(yaml_parser_initialize(&parser) == 1, "libyaml has memory")
    defer { yaml_parser_delete(&parser) }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
    return try withUnsafeMutablePointer(to: &parser) { parser throws(DocumentErrors) in
      try Array(pairs.text.utf8).withUnsafeBufferPointer { input throws(DocumentErrors) in
        yaml_parser_set_input_string(parser, input.baseAddress, input.count)
        var reader = NodeReader(
          parser: parser, text: text, file: file, pairs: pairs, limits: limits
        )
        return try reader.root()
      }
    }
  }

  private mutating func root() throws(DocumentErrors) -> Node {
    _ = try next()
    guard try next().content != .streamEnd else {
      let start = Place(file: file, line: 1, column: 1)
      throw DocumentErrors([Problem("the file is empty", at: start)])
    }
    let root = try node(next(), path: "", depth: 0)
    _ = try next()
    let last = try next()
    guard duplicates.isEmpty else { throw DocumentErrors(duplicates) }
    guard last.content == .streamEnd else {
      throw invalid("but found another document", at: last.place)
    }
    guard problems.isEmpty else { throw DocumentErrors(problems) }
    return root
  }

  // MARK: Nodes

  /// The node that begins with an event.
  private mutating func node(
    _ event: Event, path: String, depth: Int
  ) throws(DocumentErrors) -> Node {
    let content: Node.Content
    switch event.content {
    case .scalar(let text, let isPlain):
      try countNode(event.place, path, depth)
      content = .scalar(text, isPlain: isPlain)
    case .alias(let name):
      return try copy(anchored(name, at: event.place), path: path, depth: depth)
    case .sequence:
      try countCollection(event.place, path, depth)
      var nodes: [Node] = []
      var element = try next()
      while element.content != .end {
        let path = Self.joined(path, "\(nodes.count + 1)")
        nodes.append(try node(element, path: path, depth: depth + 1))
        element = try next()
      }
      content = .sequence(nodes)
    case .mapping:
      try countCollection(event.place, path, depth)
      content = .mapping(try entries(path, depth))
    case .end, .streamEnd, .mark: preconditionFailure("a node begins")
    }
    let node = Node(content, at: event.place, path: path)
    if let anchor = event.anchor { anchors[anchor] = node }
    return node
  }

  private mutating func entries(
    _ path: String, _ depth: Int
  ) throws(DocumentErrors) -> [Node.Entry] {
    var entries: [Node.Entry] = []
    var places: [String: Place] = [:]
    var key = try next()
    while key.content != .end {
      let name = try name(key, path, depth)
      if let name, let first = places[name] {
        let message = "duplicate key \(name.shownAsKey), first at \(first)"
        duplicates.append(Problem(message, at: key.place))
      } else if let name {
        places[name] = key.place
      }
      let value = try node(next(), path: Self.joined(path, name ?? ""), depth: depth + 1)
      entries.append(Node.Entry(key: name ?? "", keyPlace: key.place, value: value))
      key = try next()
    }
    return entries
  }

  /// The text of a key; nil, after an error, for a key that is not a single value.
  private mutating func name(
    _ key: Event, _ path: String, _ depth: Int
  ) throws(DocumentErrors) -> String? {
    let content: Node.Content
    switch key.content {
    case .alias(let name): content = try anchored(name, at: key.place).content
    case .scalar(let text, let isPlain):
      content = .scalar(text, isPlain: isPlain)
      if let anchor = key.anchor { anchors[anchor] = Node(content, at: key.place, path: path) }
    case .sequence, .mapping: content = try node(key, path: path, depth: depth + 1).content
    case .end, .streamEnd, .mark: preconditionFailure("a key begins")
    }
    if case .scalar(let text, _) = content { return text }
    problems.append(
      Problem("the key is not a single value", expected: "a name", at: key.place, path: path)
    )
    return nil
  }

  private func anchored(_ name: String, at place: Place) throws(DocumentErrors) -> Node {
    if let node = anchors[name] { return node }
    throw invalid("found undefined alias", at: place)
  }

  /// A copy of an anchored node, with the paths of the alias.
  private mutating func copy(
    _ node: Node, path: String, depth: Int
  ) throws(DocumentErrors) -> Node {
    octets += node.text?.utf8.count ?? 0
    try countNode(node.place, path, depth)
    var content = node.content
    switch node.content {
    case .sequence(let nodes) where depth <= limits.depth:
      var copies: [Node] = []
      for node in nodes {
        let path = Self.joined(path, "\(copies.count + 1)")
        copies.append(try copy(node, path: path, depth: depth + 1))
      }
      content = .sequence(copies)
    case .mapping(let entries) where depth <= limits.depth:
      var copies: [Node.Entry] = []
      for entry in entries {
        let path = Self.joined(path, entry.key)
        let value = try copy(entry.value, path: path, depth: depth + 1)
        copies.append(Node.Entry(key: entry.key, keyPlace: entry.keyPlace, value: value))
      }
      content = .mapping(copies)
    case .scalar, .sequence, .mapping: break
    }
    return Node(content, at: node.place, path: path)
  }

  private static func joined(_ path: String, _ name: String) -> String {
    path.isEmpty ? name : path + "." + name
  }

  // MARK: Limits

  /// Counts a list or a mapping. Reading ends at the second level that is too deep.
  private mutating func countCollection(_ place: Place, _ path: String, _ depth: Int)
    throws(DocumentErrors)
  {
    guard depth <= limits.depth + 1 else {
      throw DocumentErrors([Problem(tooDeep, at: place)])
    }
    try countNode(place, path, depth)
  }

  /// Counts a node, and reports it if it is one level too deep.
  private mutating func countNode(_ place: Place, _ path: String, _ depth: Int)
    throws(DocumentErrors)
  {
    count += 1
    octets += path.utf8.count
    guard count <= limits.nodes else {
      let message = "the document has more than \(limits.nodes) values"
      throw DocumentErrors([Problem(message, at: place, path: path)])
    }
    guard octets <= limits.expandedOctets else {
      throw DocumentErrors([Problem("its keys and aliases expand to too much text", at: place)])
    }
    if depth == limits.depth + 1 {
      problems.append(Problem(tooDeep, at: place, path: path))
    }
  }

  private var tooDeep: String {
    "lists and mappings are nested deeper than \(limits.depth) levels"
  }

  // MARK: Events

  private func next() throws(DocumentErrors) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw invalid() }
    defer { yaml_event_delete(&event) }
    let place = place(event.start_mark)
    switch event.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let octets = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      let text = pairs.restored(
        String(decoding: octets, as: UTF8.self),
        isDoubleQuoted: scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE
      )
      let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
      return Event(
        content: .scalar(text, isPlain: isPlain), anchor: Self.name(scalar.anchor), place: place
      )
    case YAML_ALIAS_EVENT:
      return Event(content: .alias(Self.name(event.data.alias.anchor) ?? ""), place: place)
    case YAML_SEQUENCE_START_EVENT:
      let anchor = Self.name(event.data.sequence_start.anchor)
      return Event(content: .sequence, anchor: anchor, place: place)
    case YAML_MAPPING_START_EVENT:
      let anchor = Self.name(event.data.mapping_start.anchor)
      return Event(content: .mapping, anchor: anchor, place: place)
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return Event(content: .end, place: place)
    case YAML_STREAM_END_EVENT: return Event(content: .streamEnd, place: place)
    default: return Event(content: .mark, place: place)
    }
  }

  private static func name(_ text: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    text.map { String(cString: $0) }
  }

  private func place(_ mark: yaml_mark_t) -> Place {
    Place(file: file, line: Int(mark.line) + 1, column: Int(mark.column) + 1)
  }

  // MARK: Invalid YAML

  private func invalid() -> DocumentErrors {
    let parser = parser.pointee
    let problem = parser.problem.map { String(cString: $0) } ?? "out of memory"
    guard parser.error != YAML_READER_ERROR else {
      let before = pairs.text.utf8.prefix(parser.problem_offset)
      let lines = String(decoding: before, as: UTF8.self)
        .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      let place = Place(file: file, line: lines.count, column: (lines.last?.count ?? 0) + 1)
      return invalid(problem, at: place)
    }
    let context = parser.context == nil ? nil : place(parser.context_mark)
    return invalid(problem, at: place(parser.problem_mark), since: context)
  }

  private func invalid(_ problem: String, at place: Place, since: Place? = nil) -> DocumentErrors {
    DocumentErrors([InvalidYAML(text, file: file).problem(problem, at: place, since: since)])
  }
}
