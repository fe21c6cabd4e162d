// Parses YAML, and JSON, which is YAML too, into nodes with positions.

import Yams

/// Parsing of documents.
public enum Document {
  /// Reads one document.
  ///
  /// ```swift
  /// let root = try Document.parse("name: Soil\nevery: 10s", file: "settings.yaml")
  /// var reader = MappingReader(root)
  /// let every = reader.required("every", expected: "a duration such as 10s") { $0.duration }
  /// let errors = reader.finish()  // also: the unknown key 'name'
  /// ```
  ///
  /// - Parameters:
  ///   - text: The document.
  ///   - file: The name of the file in error messages.
  ///   - limits: The limits of the document.
  /// - Throws: ``DocumentErrors`` for invalid YAML, more than one document, a key that is a
  ///   duplicate or not a single value, and documents beyond `limits`.
  public static func parse(
    _ text: String,
    file: String,
    limits: DocumentLimits = DocumentLimits()
  ) throws(DocumentErrors) -> Node {
    try limits.check(text, file: file)
    let start = Place(file: file, line: 1, column: 1)
    guard AliasBound.holds(8 * limits.octets, in: text) else {
      throw DocumentErrors([DocumentProblem(start, path: "", "its aliases expand to too much text")]
      )
    }
    // The reader reports the first level beyond the limit itself, with its path.
    let pairs = SurrogatePairs(text)
    var events = DocumentEvents(limits.depth + 2)
    if let place = events.place(in: pairs, file: file) {
      throw DocumentErrors([DocumentProblem(place, path: "", NodeReader.tooDeep(limits))])
    }
    guard events.duplicates.isEmpty else { throw DocumentErrors(events.duplicates) }
    do {
      // Scalars are kept as text: the caller decides what they mean, and nothing is constructed.
      let parser = try Parser(
        yaml: pairs.text,
        resolver: .basic,
        constructor: Constructor([:], [:], [:]),
        encoding: .utf8
      )
      guard let root = try parser.singleRoot() else {
        throw DocumentErrors([DocumentProblem(start, path: "", "the file is empty")])
      }
      var reader = NodeReader(file: file, pairs: pairs, limits: limits)
      let node = reader.node(root, path: "", depth: 0)
      guard reader.problems.isEmpty else { throw DocumentErrors(reader.problems) }
      return node
    } catch let errors as DocumentErrors {
      throw errors
    } catch let error as YamlError {
      throw DocumentErrors([InvalidYAML(text, file: file).problem(error)])
    } catch {
      throw DocumentErrors([DocumentProblem(start, path: "", "\(error)")])
    }
  }
}

/// Converts the nodes of Yams, within limits.
private struct NodeReader {
  let file: String
  let pairs: SurrogatePairs
  let limits: DocumentLimits
  var count = 0
  var problems: [DocumentProblem] = []

  init(file: String, pairs: SurrogatePairs, limits: DocumentLimits) {
    self.file = file
    self.pairs = pairs
    self.limits = limits
  }

  static func tooDeep(_ limits: DocumentLimits) -> String {
    "lists and mappings are nested deeper than \(limits.depth) levels"
  }

  private func place(_ node: Yams.Node) -> Place {
    Place(file: file, line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
  }

  private func text(_ scalar: Yams.Node.Scalar) -> String {
    pairs.restored(scalar.string, isDoubleQuoted: scalar.style == .doubleQuoted)
  }

  mutating func node(_ node: Yams.Node, path: String, depth: Int) -> Node {
    let place = place(node)
    let nothing = Node(.scalar("", isPlain: true), at: place, path: path)
    count += 1
    guard count <= limits.nodes else {
      if count == limits.nodes + 1 {
        problems.append(nothing.problem("the document has more than \(limits.nodes) values"))
      }
      return nothing
    }
    guard depth <= limits.depth else {
      problems.append(nothing.problem(Self.tooDeep(limits)))
      return nothing
    }
    switch node {
    case .scalar(let scalar):
      let isPlain = scalar.style == .plain || scalar.style == .any
      return Node(.scalar(text(scalar), isPlain: isPlain), at: place, path: path)
    case .sequence(let sequence):
      let nodes = sequence.enumerated().map { index, element in
        self.node(element, path: Self.joined(path, "\(index + 1)"), depth: depth + 1)
      }
      return Node(.sequence(nodes), at: place, path: path)
    case .mapping(let mapping):
      return Node(.mapping(entries(of: mapping, path, depth)), at: place, path: path)
    case .alias:
      problems.append(nothing.problem("an alias without an anchor"))
      return nothing
    }
  }

  private mutating func entries(
    of mapping: Yams.Node.Mapping,
    _ path: String,
    _ depth: Int
  ) -> [Node.Entry] {
    mapping.map { key, value in
      let name = key.scalar.map(text) ?? ""
      if key.scalar == nil {
        problems.append(
          DocumentProblem(
            place(key),
            path: path,
            "the key is not a single value",
            expected: "a name"
          )
        )
      }
      return Node.Entry(
        key: name,
        keyPlace: place(key),
        value: node(value, path: Self.joined(path, name), depth: depth + 1)
      )
    }
  }

  private static func joined(_ path: String, _ name: String) -> String {
    path.isEmpty ? name : path + "." + name
  }
}
