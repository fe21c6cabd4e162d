// Loading suites from files.

public import Bluetooth
public import Documents

extension Suite {
  /// Reads a suite or a macro from a file.
  ///
  /// - Parameters:
  ///   - variables: Names and values from the command line; they override those of the suite.
  ///   - names: The names by which attributes are printed.
  ///   - limits: The limits on the file.
  /// - Throws: `DocumentErrors` with everything that is wrong, also when the file is missing or
  ///   cannot be read.
  public static func load(
    path: String, variables: [(name: String, value: String)] = [],
    names: AttributeNames = .assigned, limits: MarkupLimits = MarkupLimits()
  ) throws(DocumentErrors) -> Suite {
    let text = try TextFile.read(path, limit: limits.bytes)
    return try parse(text, file: path, variables: variables, names: names, limits: limits)
  }

  /// Reads a suite or a macro from the text of a file.
  ///
  /// - Parameters:
  ///   - file: The name of the file in complaints.
  ///   - names: The names by which attributes are printed.
  /// - Throws: `DocumentErrors` with everything that is wrong.
  public static func parse(
    _ text: String, file: String, variables: [(name: String, value: String)] = [],
    names: AttributeNames = .assigned, limits: MarkupLimits = MarkupLimits()
  ) throws(DocumentErrors) -> Suite {
    let root = try ElementParser.parse(text, file: file, limits: limits)
    var given = Variables()
    for (name, value) in variables { given[name] = value }
    let context = ReadingContext(variables: given, names: names, limits: limits)
    var reader = SuiteReader(context)
    let suite = reader.suite(root)
    let problems = context.complaints.problems
    guard problems.isEmpty else { throw DocumentErrors(problems) }
    return suite
  }

  /// Whether a file is meant to be a suite, by its extension or by its first character.
  ///
  /// A pipe, which can be read only once, is recognised by its extension only.
  public static func isMeant(at path: String) -> Bool {
    let name = path.lowercased()
    if name.hasSuffix(".xml") { return true }
    if [".yaml", ".yml", ".json"].contains(where: { name.hasSuffix($0) }) { return false }
    guard TextFile.isRegular(path), let text = try? TextFile.read(path) else { return false }
    let first = text.unicodeScalars.first { !$0.properties.isWhitespace && $0 != "\u{feff}" }
    return first == "<"
  }
}
