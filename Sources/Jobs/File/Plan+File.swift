// Chains from files.

public import Documents

extension Plan {
  /// Reads a chain from a file.
  ///
  /// - Parameter limits: How much the chain may ask for.
  /// - Throws: `DocumentErrors` with everything that is wrong: also when the file is missing or
  ///   cannot be read.
  public static func load(
    path: String,
    limits: PlanLimits = PlanLimits()
  ) throws(DocumentErrors) -> Plan {
    let text = try TextFile.read(path, limit: limits.document.octets)
    return try parse(text, file: path, limits: limits)
  }

  /// Reads a chain from the text of a file, in YAML or JSON.
  ///
  /// - Parameters:
  ///   - file: What the file is called in complaints.
  ///   - limits: How much the chain may ask for.
  /// - Throws: `DocumentErrors` with everything that is wrong.
  public static func parse(
    _ text: String,
    file: String,
    limits: PlanLimits = PlanLimits()
  ) throws(DocumentErrors) -> Plan {
    let root = try Document.parse(text, file: file, limits: limits.document)
    var reader = ChainReader(limits: limits)
    let plan = reader.plan(root)
    guard reader.problems.isEmpty else { throw DocumentErrors(reader.problems) }
    return plan
  }
}

extension PlanLimits {
  /// Bounds on the document that a chain is written in: each step lies in a list and a mapping.
  var document: DocumentLimits {
    DocumentLimits(octets: 1 << 22, depth: 2 * depth + 16, nodes: 32 * writtenSteps)
  }
}
