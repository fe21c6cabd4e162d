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
  /// The error for values of several keys that contradict each other; nil if there is none.
  ///
  /// - Parameter limit: The timeout of the step.
  func conflict(within limit: Duration?) -> KeyRule.KeyProblem?
}

extension Described {
  static var rules: [KeyRule] { [] }
  var subjects: Subjects? { nil }
  var writtenFormat: ValueDescription? { nil }
  func conflict(within limit: Duration?) -> KeyRule.KeyProblem? { nil }

  /// Reads the keys of a mapping.
  ///
  /// - Returns: The value; nil if a required key is missing or invalid, which is reported.
  static func take(
    from mapping: inout MappingReader, _ reader: inout StepReader,
    limit: (inout MappingReader, inout StepReader) -> Duration? = { _, _ in nil }
  ) -> Self? {
    var value = Self()
    let before = reader.problems.count + mapping.problems.count
    var isComplete = true
    for key in keys { _ = mapping.optional(key.name) }
    for key in keys where !key.shape.looksAtValue {
      isComplete = key.take(from: &mapping, into: &value, &reader) && isComplete
    }
    reader.subjects = isComplete ? value.subjects ?? .nothing : .unknown
    reader.written = isComplete ? .known(value.writtenFormat) : .unknown
    for key in keys where key.shape.looksAtValue {
      isComplete = key.take(from: &mapping, into: &value, &reader) && isComplete
      // A stop condition that was just read limits the number of values.
      if isComplete { reader.subjects = value.subjects ?? .nothing }
    }
    let limit = limit(&mapping, &reader)
    func isRead() -> Bool { reader.problems.count + mapping.problems.count == before }
    for rule in rules where !rule.needsKey || isRead() && !mapping.hasUnknownKeys {
      let breaches = rule.problems { value.isGiven($0, in: mapping) }
      for breach in breaches { reader.complain(breach, in: mapping) }
    }
    if isRead(), let conflict = value.conflict(within: limit) {
      reader.complain(conflict, in: mapping)
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
    let value = take(from: &mapping, &reader)
    reader.problems += mapping.finish()
    return value
  }

  /// The one-line form of the keys whose values differ from their defaults.
  func words(_ keys: [Key<Self>]) -> [String] {
    keys.flatMap { $0.traits.words(self) }
  }

  /// The first error in the value, wherever it came from: a file, one line or Swift.
  func complaint(_ limits: PlanLimits, within limit: Duration? = nil) -> Problem? {
    Self.keys.lazy.compactMap { $0.traits.complaint(self, limits) }.first ?? broken(within: limit)
  }

  private func broken(within limit: Duration? = nil) -> Problem? {
    let broken = Self.rules.lazy.flatMap { rule in
      rule.problems { name in Self.keys.contains { $0.name == name && $0.isGiven(self) } }
    }
    return (broken.first ?? conflict(within: limit))?.problem
  }

  var mentions: [VariablePath] { Self.keys.flatMap { $0.traits.mentions(self) } }

  /// Returns the value with its captured values substituted.
  func filled(_ filling: Filling) throws(Problem) -> Self {
    var new = self
    for key in Self.keys {
      if let fill = key.traits.fill { new = try fill(new, filling) }
    }
    if let broken = new.broken() { throw Problem(broken.message) }
    return new
  }
}

extension StepReader {
  fileprivate mutating func complain(_ breach: KeyRule.KeyProblem, in mapping: MappingReader) {
    complain(breach.keys.lazy.compactMap { mapping[$0] }.first ?? mapping.node, breach.problem)
  }
}

extension KeyRule {
  /// A rule for a boolean key that is valid only together with one of `others`.
  static func flag(_ name: String, with others: [String]) -> KeyRule {
    let isTrue = JSONValue.required(name)
      .adding("properties", .object([.init(name, ["const": true])]))
    let schema: JSONValue = ["if": isTrue, "then": ["anyOf": .requiring(each: others)]]
    return KeyRule(schema: schema, needsKey: true) { isGiven in
      guard isGiven(name), !others.contains(where: isGiven) else { return [] }
      let quoted = others.map { "'\($0)'" }
      let first = quoted.dropLast().joined(separator: ", ")
      let alternatives = (first.isEmpty ? "" : "\(first) or ") + quoted[quoted.count - 1]
      return [([name], Problem("'\(name)' is only valid with \(alternatives)"))]
    }
  }
}
