// Parses YAML, and JSON as its subset, into nodes with positions, within limits.

/// The parser of documents.
public enum Document {
  /// Parses one document.
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
  ///   duplicate or not a single value, and documents that exceed `limits`.
  public static func parse(
    _ text: String, file: String, limits: DocumentLimits = DocumentLimits()
  ) throws(DocumentErrors) -> Node {
    try limits.check(text, file: file)
    return try NodeReader.root(of: text, file: file, limits: limits)
  }

  /// The top-level keys of a file, to recognize its kind; nil if it is not a mapping, cannot be
  /// read, or is not a regular file: a pipe can be read only once.
  package static func keys(at path: String) -> [String]? {
    let limits = DocumentLimits.ofAnyFile
    guard TextFile.isRegular(path), let text = try? TextFile.read(path, limit: limits.octets),
      let root = try? parse(text, file: path, limits: limits)
    else { return nil }
    return root.mapping?.map(\.key)
  }
}

/// Bounds on a document. A hostile file is rejected at little cost.
public struct DocumentLimits: Hashable, Sendable {
  /// The maximum length of the text, in bytes.
  public var octets: Int
  /// The maximum nesting depth of collections.
  public var depth: Int
  /// The maximum number of nodes. The nodes of an alias count at each use.
  public var nodes: Int

  /// The maximum length of all key paths and expanded aliases together, in bytes: each node stores
  /// its path.
  var expandedOctets: Int { 64 * octets }

  /// The default bounds: 1 MiB, 32 levels, 100 000 nodes.
  ///
  /// ```swift
  /// let limits = DocumentLimits(octets: 1 << 16)
  /// let root = try Document.parse("name: Soil", file: "the request", limits: limits)
  /// ```
  public init(octets: Int = 1 << 20, depth: Int = 32, nodes: Int = 100_000) {
    self.octets = octets
    self.depth = depth
    self.nodes = nodes
  }

  /// The bounds of the largest kind of file, for a file of unknown kind.
  package static let ofAnyFile = DocumentLimits(octets: 1 << 22, depth: 48, nodes: 1 << 20)

  /// Checks the length of a text.
  func check(_ text: String, file: String) throws(DocumentErrors) {
    guard text.utf8.count > octets else { return }
    let start = Place(file: file, line: 1, column: 1)
    throw DocumentErrors([
      Problem("the file is longer than \(octets) bytes", at: start)
    ])
  }
}
