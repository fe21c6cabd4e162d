// How large and how deep a document may be.

/// Bounds on a document, so that a hostile file is rejected at little cost.
public struct DocumentLimits: Hashable, Sendable {
  /// The longest text, in octets.
  public var octets: Int
  /// The maximum nesting depth of collections.
  public var depth: Int
  /// The maximum number of nodes; the nodes of an alias count each time it is used.
  public var nodes: Int

  /// The longest text of all paths and aliases together: each value has the path of keys to it.
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

  /// The bounds of the largest kind of file, where the kind is not known yet.
  package static let ofAnyFile = DocumentLimits(octets: 1 << 22, depth: 48, nodes: 1 << 20)

  /// Rejects a text that is too long.
  func check(_ text: String, file: String) throws(DocumentErrors) {
    guard text.utf8.count > octets else { return }
    let start = Place(file: file, line: 1, column: 1)
    throw DocumentErrors([
      Problem("the file is longer than \(octets) bytes", at: start)
    ])
  }
}
