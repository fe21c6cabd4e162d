// Expectations and conditions: comparisons of values.

import Bluetooth
import Documents

extension StepReader {
  /// `expect: { celsius: { between: [10, 40] }, type: mouth }`, or a single value.
  mutating func expectations(_ node: Node?, _ subjects: Subjects) -> [Expectation] {
    guard let node else { return [] }
    if let complaint = subjects.complaint(aboutLine: node.text ?? "") {
      complain(node, complaint)
      return []
    }
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
      return checks(entry.value, isTime: subject.isTime).map { Expectation(subject, $0) }
    }
  }

  /// `when: { reading.celsius: { above: 30 } }`.
  mutating func condition(_ node: Node) -> Condition? {
    guard let entries = node.mapping, !entries.isEmpty else {
      let expected = "captured values with what they must be: { b.percent: { below: 20 } }"
      complain(node, Complaint("\(node.shown) stands here", expected: expected))
      return nil
    }
    let tests = entries.flatMap { entry -> [Condition.Test] in
      let field = VariablePath(entry.key)?.field
      let isTime = field.flatMap { Measure(rawValue: $0) } != nil
      let checks = checks(entry.value, isTime: isTime)
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
  ///
  /// - Parameter isTime: Whether a time is looked at, which is compared with durations.
  private mutating func checks(_ node: Node, isTime: Bool) -> [Check] {
    if !isTime, let check = bare(node) { return [check] }
    guard let entries = node.mapping, !entries.isEmpty else {
      let expected =
        isTime ? "a comparison such as { max: 2s }" : "a value or a comparison such as { min: 10 }"
      complain(node, Complaint("\(node.shown) stands here", expected: expected))
      return []
    }
    return entries.compactMap { entry in
      let comparison = Comparison(rawValue: entry.key)
      guard let comparison, Comparison.all(isTime: isTime).contains(comparison) else {
        let known = Comparison.all(isTime: isTime).map(\.rawValue)
        let complaint = Complaint.unknown(
          "there is no comparison '\(entry.key)'",
          entry.key,
          among: known
        )
        problems.append(complaint.at(entry.keyPlace, path: entry.value.path))
        return nil
      }
      let check = isTime ? comparison.timeCheck(entry.value) : comparison.check(entry.value)
      if let check {
        complainOfUnknown(check.references, entry.value)
        return check
      }
      let message = "\(entry.value.shown) stands here"
      complain(
        entry.value,
        Complaint(message, expected: isTime ? comparison.takesTime : comparison.takes)
      )
      return nil
    }
  }
}

/// The words for comparisons in a file.
private enum Comparison: String, CaseIterable {
  case `is`, not, min, max, above, below, between, `in`, mask, like, counter

  /// The words for what is looked at.
  static func all(isTime: Bool) -> [Comparison] {
    isTime ? [.min, .max, .above, .below, .between] : allCases
  }

  /// What stands after the word where a time is looked at.
  var takesTime: String {
    self == .between ? "two durations, the smaller first" : "a duration such as 2s"
  }

  /// What stands after the word.
  var takes: String {
    switch self {
    case .is, .not: "a single value"
    case .min, .max, .above, .below: "a number"
    case .between: "two numbers, the smaller first"
    case .in: "a list of values"
    case .mask: "the bits that are looked at, and what they are to be, such as [0x0f, 0x05]"
    case .like: "a pattern, in which * and ? stand for others"
    case .counter: "8, 16 or 32 bits, true, or { bits: 16, gaps: 2, each-turn: true }"
    }
  }

  /// A comparison of a time.
  func timeCheck(_ node: Node) -> Check? {
    if let path = node.captured { return relation.map { .captured($0, path) } }
    if self == .between {
      guard let bounds = node.sequence, bounds.count == 2, let low = bounds[0].duration,
        let high = bounds[1].duration, low <= high
      else { return nil }
      return .between(low.inMilliseconds, high.inMilliseconds)
    }
    return node.duration.flatMap { relation?.check($0.inMilliseconds) }
  }

  func check(_ node: Node) -> Check? {
    if let path = node.captured { return relation.map { .captured($0, path) } }
    switch self {
    case .is: return node.literal.map { .equal($0) }
    case .not: return node.literal.map { .notEqual($0) }
    case .min, .max, .above, .below: return node.number.flatMap { relation?.check($0) }
    case .between:
      guard let bounds = node.sequence, bounds.count == 2, let low = bounds[0].number,
        let high = bounds[1].number, low <= high
      else { return nil }
      return .between(low, high)
    case .in:
      guard let nodes = node.sequence, !nodes.isEmpty else { return nil }
      let literals = nodes.compactMap(\.literal)
      return literals.count == nodes.count ? .oneOf(literals) : nil
    case .mask:
      let bits = (node.sequence ?? []).compactMap { $0.text.flatMap { UInt64(bits: $0) } }
      return bits.count == 2 && node.sequence?.count == 2 ? .masked(bits[0], equal: bits[1]) : nil
    case .like: return node.text.flatMap { MessageTemplate($0)?.constant }.map { .like($0) }
    case .counter: return node.counter.map { .counts($0) }
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
    case .between, .in, .mask, .like, .counter: nil
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

  /// `16`, `true`, `{ bits: 16, gaps: 2, each-turn: true }`.
  fileprivate var counter: CounterRule? {
    if truth == true { return CounterRule(bits: nil) }
    if let bits = integer {
      return CounterRule.widths.contains(bits) ? CounterRule(bits: bits) : nil
    }
    guard let entries = mapping else { return nil }
    var rule = CounterRule(bits: nil)
    for entry in entries {
      switch (entry.key, entry.value.integer, entry.value.truth) {
      case ("bits", let bits?, _) where CounterRule.widths.contains(bits): rule.bits = bits
      case ("gaps", let gaps?, _) where (0...CounterRule.mostGaps).contains(gaps): rule.gaps = gaps
      case ("each-turn", _, let truth?): rule.isOfEachTurn = truth
      default: return nil
      }
    }
    return rule
  }

  /// The captured value that stands here: `"{before.percent}"`.
  fileprivate var captured: VariablePath? {
    text.flatMap { MessageTemplate($0)?.onlyVariable }
  }
}
