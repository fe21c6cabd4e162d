// How large and how deep a document may be.

/// Bounds on a document, so that a hostile file costs little before it is refused.
public struct DocumentLimits: Hashable, Sendable {
  /// The longest text, in octets.
  public var octets: Int
  /// How many collections may lie in one another.
  public var depth: Int
  /// How many nodes there may be, those that aliases repeat counted each time.
  public var nodes: Int

  /// The usual bounds: 1 MiB, 32 deep, 100 000 nodes.
  public init(octets: Int = 1 << 20, depth: Int = 32, nodes: Int = 100_000) {
    self.octets = octets
    self.depth = depth
    self.nodes = nodes
  }

  /// Refuses a text that is too long.
  func check(_ text: String, file: String) throws(DocumentErrors) {
    guard text.utf8.count > octets else { return }
    let start = Place(file: file, line: 1, column: 1)
    throw DocumentErrors([
      DocumentProblem(start, path: "", "the file is longer than \(octets) bytes")
    ])
  }
}
