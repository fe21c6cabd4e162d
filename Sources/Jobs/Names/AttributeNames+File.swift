// Files of names, which several chains share.

public import Bluetooth
public import Documents

/// The document of a file of names: the key `names`, as in a chain.
private struct NamesFile: Described {
  var names = AttributeNames.assigned

  static let keys: [Key<Self>] = [
    Key("names", \.names, .names, documentation: AttributeNames.documentation)
  ]
}

extension AttributeNames {
  /// Reads a file of names: the key `names` of a chain file, and no other.
  ///
  /// ```swift
  /// let names = try AttributeNames(file: "names.yaml")
  /// let plan = try Plan(file: "soil.yaml", names: names)
  /// ```
  ///
  /// - Parameters:
  ///   - path: The file, from the working directory.
  ///   - base: The names that are valid besides, unless the file has the same.
  ///   - limits: Its limit on the number of names.
  /// - Throws: `DocumentErrors` with all errors, also for a file that is missing or cannot be read.
  public init(
    file path: String,
    over base: AttributeNames = .assigned,
    limits: PlanLimits = PlanLimits()
  ) throws(DocumentErrors) {
    let root = try Document.parse(TextFile.read(path), file: path)
    var reader = StepReader(limits: limits, names: base)
    let file = NamesFile.read(
      root,
      &reader,
      expected: "the key 'names', with names and their UUIDs"
    )
    guard let file, reader.problems.isEmpty else { throw DocumentErrors(reader.problems) }
    self = file.names
  }

  /// Whether a file with these keys is one of names: it has `names` alone. A chain has others, too.
  package static func isMeant(by keys: [String]) -> Bool { keys == ["names"] }
}
