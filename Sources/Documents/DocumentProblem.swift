// What is wrong with a document, and where.

/// One complaint: file, line, column, key, what is wrong and what was expected.
public struct DocumentProblem: Hashable, Sendable, CustomStringConvertible {
  public let place: Place
  /// The keys that lead to it: `steps.2.read`; empty at the top.
  public let path: String
  public let message: String
  /// What would have been right.
  public let expected: String?
  /// A known key that is close.
  public let nearest: String?

  public init(
    _ place: Place,
    path: String,
    _ message: String,
    expected: String? = nil,
    nearest: String? = nil
  ) {
    self.place = place
    self.path = path
    self.message = message
    self.expected = expected
    self.nearest = nearest
  }

  /// A value that does not fit: the message is `expected Y, found X`.
  ///
  /// - Parameters:
  ///   - found: What is written: `'x'` in quotes, or its kind, such as `a list`.
  ///   - expected: What would have been right.
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

  /// The message about a value that does not fit: `expected Y, found X`.
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

/// Where something stands in a file, counted from 1; or the file as a whole.
public struct Place: Hashable, Sendable, CustomStringConvertible {
  public let file: String
  /// 0 for the file as a whole.
  public let line: Int
  public let column: Int

  public init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// The file as a whole: it is missing, too long.
  public init(file: String) { self.init(file: file, line: 0, column: 0) }

  public var description: String { line == 0 ? file : "\(file):\(line):\(column)" }
}

/// Everything that is wrong with a document.
public struct DocumentErrors: Error, Hashable, Sendable, CustomStringConvertible {
  /// At least one, in the order of the file, each once.
  public let problems: [DocumentProblem]

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
