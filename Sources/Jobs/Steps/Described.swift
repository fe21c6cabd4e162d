// What is read from the keys of a mapping, and printed and checked by the same description.

import Documents

/// A value that chains write as a mapping: its keys are described once, and read, printed, checked
/// and documented by that description.
protocol Described: Hashable, Sendable {
  /// In the order in which they are printed.
  static var keys: [Key<Self>] { get }
  /// What has to hold across keys.
  static var rules: [KeyRule<Self>] { get }
  /// Nothing is read yet. What is in it for required keys is a placeholder, and is never used.
  init()
  /// The names that expectations may use about the value, as far as its keys are read; nil: none.
  var subjects: Subjects? { get }
}

extension Described {
  static var rules: [KeyRule<Self>] { [] }
  var subjects: Subjects? { nil }

  /// Reads the keys of a mapping.
  ///
  /// - Returns: nil where a required key is missing or wrong, with a complaint.
  static func take(
    from mapping: inout MappingReader,
    _ reader: inout StepReader,
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
    }
    let limit = limit(&mapping, &reader)
    for rule in rules {
      let isRead = reader.problems.count + mapping.problems.count == before
      isComplete = rule.holds(value, limit, mapping, isRead: isRead, &reader) && isComplete
    }
    return isComplete ? value : nil
  }

  /// Reads a mapping that has these keys alone.
  ///
  /// - Parameter expected: What should stand where there is no mapping, or an empty one.
  static func read(_ node: Node, _ reader: inout StepReader, expected: String) -> Self? {
    guard node.mapping?.isEmpty == false else {
      reader.complain(node, Complaint(found: node.shown, expected: expected))
      return nil
    }
    var mapping = MappingReader(node)
    let value = take(from: &mapping, &reader)
    reader.problems += mapping.finish()
    return value
  }

  /// The keys that are not as they are when nobody writes them, in the one-line form.
  func words(_ keys: some Sequence<Key<Self>>) -> [String] { keys.flatMap { $0.words(self) } }

  /// What is wrong with the value, wherever it was made.
  func complaint(_ limits: PlanLimits, within limit: Duration? = nil) -> Complaint? {
    Self.keys.lazy.compactMap { $0.complaint(self, limits) }.first
      ?? Self.rules.lazy.compactMap { $0.complaint(self, within: limit) }.first
  }

  /// The captured values that it names.
  var mentions: [VariablePath] { Self.keys.flatMap { $0.mentions(self) } }

  /// The value with captured values in it.
  func filled(_ filling: Filling) throws(Unfilled) -> Self {
    var new = self
    for key in Self.keys { try key.fill(&new, filling) }
    let broken = Self.rules.lazy.compactMap { $0.complaint(new, within: nil) }.first
    if let broken { throw Unfilled(problem: broken.message) }
    return new
  }
}
