// What is wrong with a file, with a line of steps, or with an option.

import Spelling

/// One error: what is wrong, what would be valid, and where it is.
///
/// What finds an error without knowing its position throws it without one, and the reader adds it
/// with ``at(_:path:)``.
///
/// ```swift
/// let problem = Problem(
///   found: "'batery-level'", expected: "a characteristic", nearest: "battery-level",
///   at: Place(file: "soil.yaml", line: 4), path: "steps.0.read")
/// print(problem)
/// ```
public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public package(set) var message: String
  /// What would be valid here.
  public var expected: String?
  /// The known word that was probably meant.
  public var nearest: String?
  /// Where it is; nil for an option, and for what has no position of its own.
  public var place: Place?
  /// The path of keys to it: `steps.2.read`; empty at the top. The step of a chain in Swift: `step 3`.
  /// The option of a command line: `--service`.
  public var path: String
  /// The text of the line, where it shows what is wrong: of invalid YAML and of the one-line form.
  public var line: String?

  /// An error, with or without its position.
  public init(
    _ message: String, expected: String? = nil, nearest: String? = nil, at place: Place? = nil,
    path: String = "", line: String? = nil
  ) {
    self.message = message
    self.expected = expected
    self.nearest = nearest
    self.place = place
    self.path = path
    self.line = line
  }

  /// An invalid value: the message is `expected Y, found X`.
  ///
  /// - Parameters:
  ///   - found: What is written: `'x'` in quotes, or its kind, such as `a list`.
  ///   - expected: What would be valid here.
  ///   - nearest: The known word that was probably meant.
  ///   - place: Where it is.
  ///   - path: The path of keys to it.
  public init(
    found: String, expected: String, nearest: String? = nil, at place: Place? = nil,
    path: String = ""
  ) {
    let message = "expected \(expected), found \(found)"
    self.init(message, nearest: nearest, at: place, path: path)
  }

  /// The same error at a position.
  public func at(_ place: Place?, path: String = "") -> Problem {
    var placed = self
    (placed.place, placed.path) = (place, path)
    return placed
  }

  /// The same error at the position of a node.
  public func at(_ node: Node) -> Problem { at(node.place, path: node.path) }

  /// The same error at the key of an entry.
  package func at(keyOf entry: Node.Entry) -> Problem {
    at(entry.keyPlace, path: entry.value.path)
  }

  /// What is wrong, and what is expected, without where.
  package var withoutPlace: String {
    let asides = [expected.map { "expected \($0)" }, nearest.map { "did you mean '\($0)'?" }]
      .compactMap(\.self)
    return asides.isEmpty ? message : "\(message) (\(asides.joined(separator: "; ")))"
  }

  /// `soil.yaml:4: steps.0.read: unknown key 'x' (expected …)`, without what is unknown.
  public var description: String {
    [place?.description, path.isEmpty ? nil : path, withoutPlace].compactMap(\.self)
      .joined(separator: ": ")
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
  public let problems: [Problem]

  /// Errors in any order, also with duplicates.
  ///
  /// They are sorted by position; duplicates are removed.
  ///
  /// ```swift
  /// do {
  ///   let plan = try Plan(file: "soil.yaml")
  ///   print(plan)
  /// } catch {
  ///   for problem in error.problems { print(problem) }
  /// }
  /// ```
  public init(_ problems: [Problem]) {
    let ordered = problems.sorted { one, other in
      let (first, second) = (one.place, other.place)
      return (first?.line ?? 0, first?.column ?? 0) < (second?.line ?? 0, second?.column ?? 0)
    }
    self.problems = ordered.reduce(into: []) { unique, problem in
      if unique.last != problem { unique.append(problem) }
    }
  }

  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

extension Problem {
  /// An unknown word: with the nearest of those that are known; where none is near, with all.
  ///
  /// - Parameter given: Words that are known, but not meant, as they are written already.
  package static func unknown(
    _ message: String, _ word: String?, among known: [String], besides given: [String] = []
  ) -> Problem {
    let free = known.filter { !given.contains($0) }
    let nearest = word.flatMap { Spelling.nearest(to: $0, among: free) }
    let isOpen = nearest == nil && !known.isEmpty
    return Problem(message, expected: isOpen ? any(of: known) : nil, nearest: nearest)
  }

  /// A value that is not one of the known words.
  ///
  /// - Parameter found: What is written: the word in quotes, or its kind, such as `a list`.
  package static func unknown(found: String, _ word: String, among known: [String]) -> Problem {
    if let nearest = Spelling.nearest(to: word, among: known) {
      return Problem("unknown word \(found)", nearest: nearest)
    }
    return Problem(found: found, expected: any(of: known))
  }

  /// What is expected where only some words are allowed.
  package static func any(of known: [String]) -> String {
    switch known.count {
    case 0: "nothing"
    case 1: known[0]
    default: "one of " + known.joined(separator: ", ")
    }
  }
}
