// The reader of one element: its attributes with variables filled in, and their problems.
//
// OperationReader and SuiteReader interpret the attributes.

import Bluetooth
import Documents

/// The problems of a document, shared by all its readers. Duplicates are dropped, because a test that is run
/// ten times is read ten times.
final class CollectedProblems {
  private(set) var all: [Problem] = []
  private var known: Set<Problem> = []
  /// The most problems that are kept; further ones are dropped.
  private static let most = 200

  func add(_ problem: Problem, at place: Place, _ path: String) {
    guard all.count < Self.most else { return }
    let problem = problem.at(place, path: path)
    if known.insert(problem).inserted { all.append(problem) }
  }

  func add(_ place: Place, _ path: String, _ message: String, expected: String? = nil) {
    add(Problem(message, expected: expected), at: place, path)
  }
}

/// The state that the readers of all elements share.
struct ReadingContext {
  var variables: Variables
  /// Whether variables may be missing, because the test is never run.
  var isUnused = false
  /// The printed names of UUIDs.
  let names: AttributeNames
  let limits: MarkupLimits
  let problems = CollectedProblems()
}

/// Reads the attributes of one element.
///
/// Call ``finish(children:)`` at the end: it reports all attributes that were not read as unknown.
struct ElementReader {
  let element: Element
  private let context: ReadingContext
  private var known: [String] = []

  init(_ element: Element, _ context: ReadingContext) {
    (self.element, self.context) = (element, context)
  }

  private var problems: CollectedProblems { context.problems }

  // MARK: Texts

  /// Reads the text of an attribute; nil if it is missing, or its variables cannot be filled in.
  mutating func text(_ name: String) -> String? {
    if !known.contains(name) { known.append(name) }
    guard let attribute = element.attribute(name) else { return nil }
    let limit = context.limits.attributeBytes
    do {
      return try context.variables.filled(attribute.value, limit: limit)
    } catch {
      switch error {
      case .missing(let variable):
        guard !context.isUnused else { return nil }
        problems.add(
          attribute.place, path(name), "${\(variable)} has no value",
          expected: "-E \(variable) VALUE on the command line, or <set name=\"\(variable)\" …>"
        )
      case .tooLong:
        problems.add(attribute.place, path(name), "the text is longer than \(limit) bytes")
      }
      return nil
    }
  }

  /// Reads an optional attribute. It is a problem if `read` returns nil.
  mutating func optional<Value>(
    _ name: String, expected: String, _ read: (String) -> Value?
  ) -> Value? {
    guard let text = text(name) else { return nil }
    if let value = read(text) { return value }
    addProblem(name, "expected \(expected), found '\(text)'")
    return nil
  }

  /// Reads a required attribute. It is a problem if it is missing or `read` returns nil.
  mutating func required<Value>(
    _ name: String, expected: String, _ read: (String) -> Value?
  ) -> Value? {
    if element.attribute(name) == nil {
      problems.add(
        element.place, path(nil), "the attribute '\(name)' is missing", expected: expected
      )
    }
    return optional(name, expected: expected, read)
  }

  /// Reads an attribute whose value is one of some words, case-sensitive.
  mutating func word(_ name: String, among words: [String]) -> String? {
    guard let text = text(name) else { return nil }
    if words.contains(text) { return text }
    addUnknownWord(name, text, among: words)
    return nil
  }

  /// Reads an attribute whose value is a case of an enumeration.
  mutating func choice<Choice: RawRepresentable & CaseIterable>(_ name: String) -> Choice?
  where Choice.RawValue == String {
    word(name, among: Choice.allCases.map(\.rawValue)).flatMap { Choice(rawValue: $0) }
  }

  // MARK: Values

  mutating func uuid(_ name: String) -> BluetoothUUID? {
    required(name, expected: "a UUID such as 0000180D-0000-1000-8000-00805f9b34fb") {
      BluetoothUUID($0)
    }
  }

  /// Reads an instance: the index among attributes with the same UUID, from 0.
  mutating func instance(_ name: String) -> Int {
    optional(name, expected: "a number from 0 to 65535") { Self.number($0, in: 0...65_535) } ?? 0
  }

  /// Parses a whole number in a range.
  static func number(_ text: String, in range: ClosedRange<Int>) -> Int? {
    Int(text).flatMap { range.contains($0) ? $0 : nil }
  }

  mutating func duration(_ name: String) -> Duration? {
    let most = Self.longest
    return optional(name, expected: "milliseconds, from 0 to \(most)") {
      Self.number($0, in: 0...most)
    }.map { .milliseconds($0) }
  }

  /// The longest duration: one day, in milliseconds.
  private static let longest = 86_400_000

  /// Reads `value` or `value-string`; nil if both are missing or the value is invalid.
  mutating func value(isRequired: Bool = true) -> (octets: [UInt8], isText: Bool)? {
    let octets = optional("value", expected: "bytes in hexadecimal digits") {
      [UInt8](hexadecimal: $0.hasPrefix("0x") ? $0.dropFirst(2) : $0[...])
    }
    let string = text("value-string").map { Array($0.utf8) }
    let given = ["value", "value-string"].filter { element.attribute($0) != nil }
    if given.count == 2 {
      addProblem("value-string", "only one of value and value-string is allowed")
    } else if given.isEmpty, isRequired {
      problems.add(
        element.place, path(nil), "the attribute 'value' is missing",
        expected: "value with bytes, or value-string with text"
      )
    }
    guard let value = octets ?? string else { return nil }
    guard value.count <= 512 else {
      let name = given.first ?? "value"
      addProblem(name, "expected at most 512 bytes, found \(value.count)")
      return nil
    }
    return (value, octets == nil)
  }

  // MARK: Problems

  func addProblem(_ name: String, _ message: String, expected: String? = nil) {
    problems.add(
      element.attribute(name)?.place ?? element.place, path(name), message, expected: expected
    )
  }

  /// Reports an attribute whose value is an unknown word.
  func addUnknownWord(_ name: String, _ word: String, among known: [String]) {
    let place = element.attribute(name)?.place ?? element.place
    problems.add(.unknown(found: "'\(word)'", word, among: known), at: place, path(name))
  }

  /// Reports unknown attributes, unknown children, and text.
  ///
  /// - Parameter children: The names of the elements that this one may contain.
  func finish(children: [String] = []) {
    for attribute in element.attributes where !known.contains(attribute.name) {
      let message = "unknown attribute '\(attribute.name)'"
      problems.add(
        .unknown(message, attribute.name, among: known), at: attribute.place, path(attribute.name)
      )
    }
    for child in element.children where !children.contains(child.name) {
      let message = "unknown element <\(child.name)>"
      problems.add(
        .unknown(message, child.name, among: children), at: child.place, path(child.name)
      )
    }
    if let text = element.text {
      problems.add(text, path(nil), "expected only elements in <\(element.name)>, found text")
    }
  }

  private func path(_ name: String?) -> String {
    name.map { "\(element.name).\($0)" } ?? element.name
  }
}
