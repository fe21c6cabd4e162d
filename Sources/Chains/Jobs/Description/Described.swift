// Values whose reading, printing and checking derive from one description of their keys.
//
// The keys themselves are in Key.swift, the values of keys in Shape.swift.

import Bluetooth
import Documents

/// A value that is written as a mapping. Readers, printers, checks and documentation use the one
/// description of its keys.
protocol Described: Hashable, Sendable {
  /// The keys, in the order in which they are printed.
  static var keys: [Key<Self>] { get }
  static var rules: [KeyRule] { get }
  /// Creates a value whose required properties are placeholders, replaced when the keys are read.
  init()
  /// The names that expectations may use, given the keys read so far; nil for none.
  var subjects: Subjects? { get }
  /// The format of the value that it writes, given the keys read so far; nil for none.
  var writtenFormat: ValueDescription? { get }
  /// The problem of values of several keys that contradict each other; nil if there is none.
  ///
  /// - Parameter limit: The timeout of the step.
  func problemAcrossKeys(timeout limit: Duration?) -> KeyRule.KeyProblem?
}

extension Described {
  static var rules: [KeyRule] { [] }
  var subjects: Subjects? { nil }
  var writtenFormat: ValueDescription? { nil }
  func problemAcrossKeys(timeout limit: Duration?) -> KeyRule.KeyProblem? { nil }

  /// Reads the keys of a mapping.
  ///
  /// - Returns: The value; nil if a required key is missing or invalid, which is reported.
  static func readKeys(
    from mapping: inout MappingReader, _ reader: inout StepReader,
    limit: (inout MappingReader, inout StepReader) -> Duration? = { _, _ in nil }
  ) -> Self? {
    var value = Self()
    let before = reader.problems.count + mapping.problems.count
    var isComplete = true
    for key in keys { _ = mapping.optional(key.name) }
    for key in keys where !key.shape.looksAtValue {
      isComplete = key.read(from: &mapping, into: &value, &reader) && isComplete
    }
    reader.subjects = isComplete ? value.subjects ?? .nothing : .unknown
    reader.written = isComplete ? .known(value.writtenFormat) : .unknown
    for key in keys where key.shape.looksAtValue {
      isComplete = key.read(from: &mapping, into: &value, &reader) && isComplete
      // A stop condition that was just read limits the number of values.
      if isComplete { reader.subjects = value.subjects ?? .nothing }
    }
    let limit = limit(&mapping, &reader)
    func isRead() -> Bool { reader.problems.count + mapping.problems.count == before }
    for rule in rules where !rule.needsKey || isRead() && !mapping.hasUnknownKeys {
      let problems = rule.problems { value.isGiven($0, in: mapping) }
      for problem in problems { reader.complain(problem, in: mapping) }
    }
    if isRead(), let problem = value.problemAcrossKeys(timeout: limit) {
      reader.complain(problem, in: mapping)
    }
    return isComplete ? value : nil
  }

  /// Whether a key is present. A boolean key counts only if it differs from its default.
  private func isGiven(_ name: String, in mapping: MappingReader) -> Bool {
    mapping.has(name)
      && Self.keys.contains { $0.name == name && ($0.shape.word != .truth || $0.isGiven(self)) }
  }

  /// Reads a mapping that has only these keys.
  ///
  /// - Parameter expected: The expected form, for the error about a missing or empty mapping.
  static func read(_ node: Node, _ reader: inout StepReader, expected: String) -> Self? {
    if node.mapping?.isEmpty == false { return read(node, &reader) }
    reader.complain(node, Problem(found: node.shown, expected: expected))
    return nil
  }

  /// Reads a mapping that has only these keys; it may be empty.
  static func read(_ node: Node, _ reader: inout StepReader) -> Self? {
    var mapping = MappingReader(node)
    let value = readKeys(from: &mapping, &reader)
    reader.problems += mapping.finish()
    return value
  }

  /// The one-line form of the keys whose values differ from their defaults.
  func words(_ keys: [Key<Self>]) -> [String] {
    keys.flatMap { $0.operations.words(self) }
  }

  /// The first problem of the value, wherever it came from: a file, one line or Swift.
  func problem(_ limits: PlanLimits, timeout: Duration? = nil) -> Problem? {
    Self.keys.lazy.compactMap { $0.operations.problem(self, limits) }.first
      ?? firstProblemAcrossKeys(timeout: timeout)
  }

  private func firstProblemAcrossKeys(timeout: Duration? = nil) -> Problem? {
    let problems = Self.rules.lazy.flatMap { rule in
      rule.problems { name in Self.keys.contains { $0.name == name && $0.isGiven(self) } }
    }
    return (problems.first ?? problemAcrossKeys(timeout: timeout))?.problem
  }

  var mentions: [VariablePath] { Self.keys.flatMap { $0.operations.mentions(self) } }

  /// Returns the value with its captured values substituted.
  func filled(_ filling: Filling) throws(Problem) -> Self {
    var new = self
    for key in Self.keys {
      if let fill = key.operations.fill { new = try fill(new, filling) }
    }
    if let problem = new.firstProblemAcrossKeys() { throw Problem(problem.message) }
    return new
  }
}

extension StepReader {
  fileprivate mutating func complain(_ found: KeyRule.KeyProblem, in mapping: MappingReader) {
    complain(found.keys.lazy.compactMap { mapping[$0] }.first ?? mapping.node, found.problem)
  }
}

extension KeyRule {
  /// A rule for a boolean key that is valid only together with one of `others`.
  static func flag(_ name: String, with others: [String]) -> KeyRule {
    let isTrue = JSONValue.required(name)
      .adding("properties", .object([.init(name, ["const": true])]))
    return key(name, with: others, where: isTrue)
  }

  /// A rule for a key that is valid only together with one of `others`.
  static func key(_ name: String, with others: [String]) -> KeyRule {
    key(name, with: others, where: .required(name))
  }

  private static func key(
    _ name: String, with others: [String], where condition: JSONValue
  ) -> KeyRule {
    let schema: JSONValue = ["if": condition, "then": ["anyOf": .requiring(each: others)]]
    return KeyRule(schema: schema, needsKey: true) { isGiven in
      guard isGiven(name), !others.contains(where: isGiven) else { return [] }
      let quoted = others.map { "'\($0)'" }
      let first = quoted.dropLast().joined(separator: ", ")
      let alternatives = (first.isEmpty ? "" : "\(first) or ") + quoted[quoted.count - 1]
      return [([name], Problem("'\(name)' is only valid with \(alternatives)"))]
    }
  }
}
