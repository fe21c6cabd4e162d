// Errors in a document, with their positions.

/// One error: file, line, column, key, what is wrong and what was expected.
public struct DocumentProblem: Hashable, Sendable, CustomStringConvertible {
  /// Where it is.
  public let place: Place
  /// The path of keys to it: `steps.2.read`; empty at the top.
  public let path: String
  /// What is wrong.
  public let message: String
  /// What would be valid here.
  public let expected: String?
  /// The known key that was probably meant.
  public let nearest: String?
  /// The text of the line, where it shows what is wrong: for invalid YAML.
  public let line: String?

  /// An error at a position.
  public init(
    _ place: Place,
    path: String,
    _ message: String,
    expected: String? = nil,
    nearest: String? = nil,
    line: String? = nil
  ) {
    self.place = place
    self.path = path
    self.message = message
    self.expected = expected
    self.nearest = nearest
    self.line = line
  }

  /// An invalid value: the message is `expected Y, found X`.
  ///
  /// ```swift
  /// let problem = DocumentProblem(
  ///   Place(file: "soil.yaml", line: 4), path: "steps.0.read", found: "'batery-level'",
  ///   expected: "a characteristic", nearest: "battery-level")
  /// ```
  ///
  /// - Parameters:
  ///   - place: Where it is.
  ///   - path: The path of keys to it.
  ///   - found: What is written: `'x'` in quotes, or its kind, such as `a list`.
  ///   - expected: What would be valid here.
  ///   - nearest: The known key that was probably meant.
  public init(
    _ place: Place,
    path: String,
    found: String,
    expected: String,
    nearest: String? = nil
  ) {
    let message = Self.message(found: found, expected: expected)
    self.init(place, path: path, message, nearest: nearest)
  }

  /// The message about an invalid value: `expected Y, found X`.
  public static func message(found: String, expected: String) -> String {
    "expected \(expected), found \(found)"
  }

  public var description: String {
    var asides: [String] = []
    if let expected { asides.append("expected \(expected)") }
    if let nearest { asides.append("did you mean '\(nearest)'?") }
    let aside = asides.isEmpty ? "" : " (" + asides.joined(separator: "; ") + ")"
    return "\(place): " + (path.isEmpty ? "" : "\(path): ") + message + aside
  }
}

/// A position in a file, with lines and columns from 1; or the complete file.
public struct Place: Hashable, Sendable, CustomStringConvertible {
  /// The file, as the caller named it; in Swift code `Module/File.swift`.
  public let file: String
  /// 0 for the complete file.
  public let line: Int
  /// 0 for the complete line.
  public let column: Int

  /// A position; without a column, the complete line.
  public init(file: String, line: Int, column: Int = 0) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// The complete file: for a file that is missing or too long.
  public init(file: String) { self.init(file: file, line: 0, column: 0) }

  /// `file:line:column`, without what is unknown.
  public var description: String {
    [file, line == 0 ? nil : "\(line)", column == 0 ? nil : "\(column)"].compactMap(\.self)
      .joined(separator: ":")
  }
}

/// All errors in a document.
public struct DocumentErrors: Error, Hashable, Sendable, CustomStringConvertible {
  /// At least one, in the order of the file, without duplicates.
  public let problems: [DocumentProblem]

  /// Errors in any order, also with duplicates.
  ///
  /// They are sorted by position; duplicates are removed.
  ///
  /// ```swift
  /// do {
  ///   let plan = try Plan(file: "soil.yaml")
  ///   print(plan)
  /// } catch {
  ///   for problem in error.problems { print(problem.place, problem.message) }
  /// }
  /// ```
  public init(_ problems: [DocumentProblem]) {
    let ordered = problems.sorted {
      ($0.place.line, $0.place.column) < ($1.place.line, $1.place.column)
    }
    self.problems = ordered.reduce(into: []) { unique, problem in
      if unique.last != problem { unique.append(problem) }
    }
  }

  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
