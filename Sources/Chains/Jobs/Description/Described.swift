// Values that are read, printed and checked by one description of their keys.

import Documents

/// A value that is written as a mapping. Its keys are described once; readers, printers, checks and
/// documentation use that description.
protocol Described: Hashable, Sendable {
  /// In the order in which they are printed.
  static var keys: [Key<Self>] { get }
  static var rules: [KeyRule] { get }
  /// A value before its keys are read. Its required properties hold placeholders that are never
  /// used.
  init()
  /// The names that expectations may use, as far as the keys are read; nil for none.
  var subjects: Subjects? { get }
  /// Why the values of several keys do not fit together.
  ///
  /// - Parameter limit: The timeout of the step.
  func conflict(within limit: Duration?) -> KeyRule.KeyProblem?
}

extension Described {
  static var rules: [KeyRule] { [] }
  var subjects: Subjects? { nil }
  func conflict(within limit: Duration?) -> KeyRule.KeyProblem? { nil }

  /// Reads the keys of a mapping.
  ///
  /// - Returns: Nil, after an error, when a required key is missing or invalid.
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
    for key in keys where key.shape.looksAtValue {
      isComplete = key.take(from: &mapping, into: &value, &reader) && isComplete
      // What ends the step bounds the number of its values.
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

  /// Whether a key is present; one that may only be true or false, whether it is not the default.
  private func isGiven(_ name: String, in mapping: MappingReader) -> Bool {
    mapping.has(name)
      && Self.keys.contains { $0.name == name && ($0.shape.word != .truth || $0.isGiven(self)) }
  }

  /// Reads a mapping that has only these keys.
  ///
  /// - Parameter expected: What is expected, for the error about a missing or empty mapping.
  static func read(_ node: Node, _ reader: inout StepReader, expected: String) -> Self? {
    if node.mapping?.isEmpty == false { return read(node, &reader) }
    reader.complain(node, Problem(found: node.shown, expected: expected))
    return nil
  }

  /// Reads a mapping that has only these keys, and may be empty.
  static func read(_ node: Node, _ reader: inout StepReader) -> Self? {
    var mapping = MappingReader(node)
    let value = take(from: &mapping, &reader)
    reader.problems += mapping.finish()
    return value
  }

  /// The keys with values other than the defaults, in the one-line form.
  func words(_ keys: [Key<Self>]) -> [String] {
    keys.flatMap { $0.traits.words(self) }
  }

  /// The error in the value, however it was made.
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

  /// The value with its captured values replaced.
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
  /// A key that may be true only beside one of others.
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
