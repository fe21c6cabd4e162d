// Reading suites from files.

public import Bluetooth
public import Documents

extension Suite {
  /// Reads a suite or a macro from a file.
  ///
  /// - Parameters:
  ///   - variables: Names and values from the command line; they override those of the suite.
  ///   - names: The printed names of UUIDs.
  ///   - limits: The limits on the file.
  /// - Throws: `DocumentErrors` with all problems; also if the file is missing or cannot be read.
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
  ///   - file: The name of the file in messages.
  ///   - names: The printed names of UUIDs.
  /// - Throws: `DocumentErrors` with all problems.
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
    let problems = context.problems.all
    guard problems.isEmpty else { throw DocumentErrors(problems) }
    return suite.with(variables: Set(root.variables).sorted())
  }

  /// Whether a file looks like a suite, by its extension or its first character.
  ///
  /// A pipe can only be read once, so it is recognised only by its extension.
  public static func recognizes(fileAt path: String) -> Bool {
    let name = path.lowercased()
    if name.hasSuffix(".xml") { return true }
    if [".yaml", ".yml", ".json"].contains(where: { name.hasSuffix($0) }) { return false }
    guard TextFile.isRegular(path), let text = try? TextFile.read(path) else { return false }
    let first = text.unicodeScalars.first { !$0.properties.isWhitespace && $0 != "\u{feff}" }
    return first == "<"
  }
}
