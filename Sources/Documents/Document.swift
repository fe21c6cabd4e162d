// Parses YAML, and JSON, which is YAML too, into nodes with positions.

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
    return try NodeReader.root(of: text, file: file, limits: limits)
  }

  /// The keys of a file's mapping, to find what kind of file it is; nil for a file that has none, cannot
  /// be read, or only once, such as a pipe.
  package static func keys(at path: String) -> [String]? {
    let limits = DocumentLimits.ofAnyFile
    guard TextFile.isRegular(path), let text = try? TextFile.read(path, limit: limits.octets),
      let root = try? parse(text, file: path, limits: limits)
    else { return nil }
    return root.mapping?.map(\.key)
  }
}
