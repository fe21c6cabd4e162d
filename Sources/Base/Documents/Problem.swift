// Errors in files, in one-line chains and in options, with their positions.

import Spelling

/// One error: what is wrong, what would be valid, and where it is.
///
/// Code that does not know the position throws the error without one; the reader adds the position
/// with ``at(_:path:)``.
///
/// ```swift
/// let problem = Problem(
///   found: "'batery-level'", expected: "a characteristic", nearest: "battery-level",
///   at: Place(file: "soil.yaml", line: 4), path: "steps.0.read")
/// print(problem)
/// ```
public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The mistake.
  public package(set) var message: String
  /// The valid values.
  public var expected: String?
  /// The known word that was probably meant.
  public var nearest: String?
  /// The position; nil for an option and other errors without one.
  public var place: Place?
  /// The path of keys to it: `steps.2.read`; empty at the top. The step of a chain in Swift:
  /// `step 3`. The option of a command line: `--service`.
  public var path: String
  /// The text of the line; set for invalid YAML and for the one-line form.
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
  ///   - found: The invalid value in quotes, `'x'`, or its kind, such as `a list`.
  ///   - expected: The valid values.
  ///   - nearest: The known word that was probably meant.
  ///   - place: The position.
  ///   - path: The path of keys to it.
  public init(
    found: String, expected: String, nearest: String? = nil, at place: Place? = nil,
    path: String = ""
  ) {
    let message = "expected \(expected), found \(found)"
    self.init(message, nearest: nearest, at: place, path: path)
  }

  /// The error at a position.
  public func at(_ place: Place?, path: String = "") -> Problem {
    var placed = self
    (placed.place, placed.path) = (place, path)
    return placed
  }

  /// The error at the position of a node.
  public func at(_ node: Node) -> Problem { at(node.place, path: node.path) }

  /// The error at the key of an entry.
  package func at(keyOf entry: Node.Entry) -> Problem {
    at(entry.keyPlace, path: entry.value.path)
  }

  /// The message with the valid values, without the position.
  package var withoutPlace: String {
    let asides = [expected.map { "expected \($0)" }, nearest.map { "did you mean '\($0)'?" }]
      .compactMap(\.self)
    return asides.isEmpty ? message : "\(message) (\(asides.joined(separator: "; ")))"
  }

  /// `soil.yaml:4: steps.0.read: unknown key 'x' (expected …)`, without the parts that are nil.
  public var description: String {
    [place?.description, path.isEmpty ? nil : path, withoutPlace].compactMap(\.self)
      .joined(separator: ": ")
  }
}

/// A position in a file, with lines and columns from 1; or a whole file.
public struct Place: Hashable, Sendable, CustomStringConvertible {
  /// The file, as the caller named it; in Swift code `Module/File.swift`.
  public let file: String
  /// The line; 0 for the whole file.
  public let line: Int
  /// The column; 0 for the whole line.
  public let column: Int

  /// A position; without a column, a whole line.
  public init(file: String, line: Int, column: Int = 0) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// A whole file: for a file that is missing or too long.
  public init(file: String) { self.init(file: file, line: 0, column: 0) }

  /// `file:line:column`, without the parts that are 0.
  public var description: String {
    [file, line == 0 ? nil : "\(line)", column == 0 ? nil : "\(column)"].compactMap(\.self)
      .joined(separator: ":")
  }
}

/// All errors in a document.
public struct DocumentErrors: Error, Hashable, Sendable, CustomStringConvertible {
  /// At least one, in the order of the file, without duplicates.
  public let problems: [Problem]

  /// Sorts errors by position, and removes duplicates.
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
  /// The error of an unknown word, with the nearest known one, or with all if none is near.
  ///
  /// - Parameter given: Known words that are present already, and so were not meant.
  package static func unknown(
    _ message: String, _ word: String?, among known: [String], besides given: [String] = []
  ) -> Problem {
    let free = known.filter { !given.contains($0) }
    let nearest = word.flatMap { Spelling.nearest(to: $0, among: free) }
    let isOpen = nearest == nil && !known.isEmpty
    return Problem(message, expected: isOpen ? any(of: known) : nil, nearest: nearest)
  }

  /// The error of a value that is not one of the known words.
  ///
  /// - Parameter found: The word in quotes, or the kind of value, such as `a list`.
  package static func unknown(found: String, _ word: String, among known: [String]) -> Problem {
    if let nearest = Spelling.nearest(to: word, among: known) {
      return Problem("unknown word \(found)", nearest: nearest)
    }
    return Problem(found: found, expected: any(of: known))
  }

  /// The expectation in errors if only some words are valid.
  package static func any(of known: [String]) -> String {
    switch known.count {
    case 0: "nothing"
    case 1: known[0]
    default: "one of " + known.joined(separator: ", ")
    }
  }
}
