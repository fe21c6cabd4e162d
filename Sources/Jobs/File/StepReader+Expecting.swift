// Expectations and conditions: comparisons of values.

import Bluetooth
import Documents

extension StepReader {
  /// `expect: { celsius: { between: [10, 40] }, type: mouth }`, or a single value.
  mutating func expectations(_ node: Node?, _ subjects: Subjects) -> [Expectation] {
    guard let node else { return [] }
    if let check = bare(node) { return [Expectation(.value, check)] }
    guard let entries = node.mapping, !entries.isEmpty else {
      let expected = "a value, or fields with what they must be"
      complain(node, Complaint("\(node.shown) stands here", expected: expected))
      return []
    }
    return entries.flatMap { entry -> [Expectation] in
      guard let subject = subjects.subject(entry.key) else {
        let complaint = subjects.complaint(about: entry.key)
        problems.append(complaint.at(entry.keyPlace, path: entry.value.path))
        return []
      }
      return checks(entry.value).map { Expectation(subject, $0) }
    }
  }

  /// `when: { reading.celsius: { above: 30 } }`.
  mutating func condition(_ node: Node) -> Condition? {
    guard let entries = node.mapping, !entries.isEmpty else {
      let expected = "captured values with what they must be"
      complain(node, Complaint("\(node.shown) stands here", expected: expected))
      return nil
    }
    let tests = entries.flatMap { entry -> [Condition.Test] in
      let checks = checks(entry.value)
      guard let path = VariablePath(entry.key) else {
        let complaint = Complaint("'\(entry.key)' is no name", expected: VariablePath.shape)
        problems.append(complaint.at(entry.keyPlace, path: entry.value.path))
        return []
      }
      if let complaint = scope.complaint(about: path) {
        problems.append(complaint.at(entry.keyPlace, path: entry.value.path))
      }
      return checks.map { Condition.Test(path, $0) }
    }
    return tests.isEmpty ? nil : Condition(tests)
  }

  /// A single value, which means that it must be that.
  private mutating func bare(_ node: Node) -> Check? {
    guard let check = Comparison.is.check(node) else { return nil }
    complainOfUnknown(check.references, node)
    return check
  }

  /// The comparisons that stand under a name; a bare value means that it must be that.
  private mutating func checks(_ node: Node) -> [Check] {
    if let check = bare(node) { return [check] }
    guard let entries = node.mapping, !entries.isEmpty else {
      let expected = "a value or a comparison such as { min: 10 }"
      complain(node, Complaint("\(node.shown) stands here", expected: expected))
      return []
    }
    return entries.compactMap { entry in
      guard let comparison = Comparison(rawValue: entry.key) else {
        let known = Comparison.allCases.map(\.rawValue)
        let complaint = Complaint.unknown(
          "there is no comparison '\(entry.key)'",
          entry.key,
          among: known
        )
        problems.append(complaint.at(entry.keyPlace, path: entry.value.path))
        return nil
      }
      if let check = comparison.check(entry.value) {
        complainOfUnknown(check.references, entry.value)
        return check
      }
      let message = "\(entry.value.shown) stands here"
      complain(entry.value, Complaint(message, expected: comparison.takes))
      return nil
    }
  }
}

/// The words for comparisons in a file.
private enum Comparison: String, CaseIterable {
  case `is`, not, min, max, above, below, between, `in`

  /// What stands after the word.
  var takes: String {
    switch self {
    case .is, .not: "a single value"
    case .min, .max, .above, .below: "a number"
    case .between: "two numbers, the smaller first"
    case .in: "a list of values"
    }
  }

  func check(_ node: Node) -> Check? {
    if let path = node.captured { return relation.map { .captured($0, path) } }
    switch self {
    case .is: return node.literal.map { .equal($0) }
    case .not: return node.literal.map { .notEqual($0) }
    case .min: return node.number.map { .atLeast($0) }
    case .max: return node.number.map { .atMost($0) }
    case .above: return node.number.map { .above($0) }
    case .below: return node.number.map { .below($0) }
    case .between:
      guard let bounds = node.sequence, bounds.count == 2, let low = bounds[0].number,
        let high = bounds[1].number, low <= high
      else { return nil }
      return .between(low, high)
    case .in:
      guard let nodes = node.sequence, !nodes.isEmpty else { return nil }
      let literals = nodes.compactMap(\.literal)
      return literals.count == nodes.count ? .oneOf(literals) : nil
    }
  }
}

extension Comparison {
  /// How it compares with one value; nil where it takes several.
  fileprivate var relation: Check.Relation? {
    switch self {
    case .is: .equal
    case .not: .notEqual
    case .min: .atLeast
    case .max: .atMost
    case .above: .above
    case .below: .below
    case .between, .in: nil
    }
  }
}

extension Node {
  /// The single value that stands here, to be compared with.
  fileprivate var literal: Literal? {
    guard case .scalar(let text, let isPlain) = content, !isNull,
      let constant = MessageTemplate(text)?.constant
    else { return nil }
    return Literal(constant, isQuoted: !isPlain)
  }

  /// The captured value that stands here: `"{before.percent}"`.
  fileprivate var captured: VariablePath? {
    text.flatMap { MessageTemplate($0)?.onlyVariable }
  }
}
