// Reads expectations and conditions: comparisons of values.

import Bluetooth
import Documents

extension StepReader {
  /// Reads expectations: `expect: { celsius: { between: [10, 40] }, type: mouth }`, or a single
  /// value.
  mutating func expectations(_ node: Node) -> [Expectation]? {
    if let problem = subjects.problem(ofLineForm: node.text ?? "") {
      complain(node, problem)
      return nil
    }
    if let check = bare(node) {
      complain(about: check, of: .value, node)
      return [Expectation(.value, check)]
    }
    guard let entries = node.mapping, !entries.isEmpty else { return nil }
    return entries.flatMap { entry -> [Expectation] in
      guard let subject = subjects.subject(entry.key) else {
        problems.append(subjects.problem(about: entry.key).at(keyOf: entry))
        return []
      }
      return checks(entry.value, isTime: subject.isTime).map { check in
        complain(about: check, of: subject, entry.value)
        return Expectation(subject, subjects.completed(check, of: subject))
      }
    }
  }

  /// Reports a check that no value can pass.
  private mutating func complain(about check: Check, of subject: Expectation.Subject, _ node: Node)
  {
    if let problem = subjects.problem(about: check, of: subject) { complain(node, problem) }
  }

  /// Reads a required result: `expect: { celsius: { max: 40 } }`, or `expect: { error:
  /// value-not-allowed }`.
  mutating func expected(_ node: Node) -> Expected? {
    let key = ExpectedFailure.key
    let entries = node.mapping ?? []
    guard !subjects.fields.contains(key), let entry = entries.first(where: { $0.key == key }) else {
      guard subjects.isOfValue else {
        complain(node, Problem("the step has no value", expected: "{ error: not-permitted }"))
        return nil
      }
      return expectations(node).map { .values($0) }
    }
    if let other = entries.first(where: { $0.key != key }) {
      problems.append(Problem("a step that must fail has no value to compare").at(keyOf: other))
    }
    return failure(entry.value).map { .failure($0) }
  }

  /// Reads the names of an expected failure: one name, a list, or either under `is` or `in`.
  private mutating func failure(_ node: Node) -> ExpectedFailure? {
    if let entries = node.mapping {
      guard entries.count == 1, let comparison = Comparison(rawValue: entries[0].key),
        comparison == .is || comparison == .in
      else {
        complain(node, Problem(found: node.shown, expected: "'is' or 'in'"))
        return nil
      }
      return failure(entries[0].value)
    }
    let names = node.several.compactMap { node -> ExpectedFailure.Name? in
      do throws(Problem) {
        return try ExpectedFailure.Name.read(node.text ?? "", shown: node.shown)
      } catch {
        complain(node, error)
        return nil
      }
    }
    return names.count == node.several.count ? ExpectedFailure(names) : nil
  }

  /// Reads a condition: `when: { reading.celsius: { above: 30 } }`, or `when: reading.celsius > 30`.
  mutating func condition(_ node: Node) -> Condition? {
    if node.text?.isEmpty == false {
      return calculation(node, isCondition: true).map { Condition($0) }
    }
    guard let entries = node.mapping, !entries.isEmpty else { return nil }
    let tests = entries.flatMap { entry -> [Condition.Test] in
      let checks = checks(entry.value, isTime: Measure.isNamed(by: entry.key))
      guard let path = VariablePath(entry.key) else {
        let problem = Problem(found: "'\(entry.key)'", expected: VariablePath.shape)
        problems.append(problem.at(keyOf: entry))
        return []
      }
      if let problem = scope.problem(about: path) {
        problems.append(problem.at(keyOf: entry))
      }
      for check in checks {
        if let problem = scope.problem(about: check, of: path) {
          complain(entry.value, problem)
        }
      }
      return checks.map { Condition.Test(path, $0) }
    }
    return Condition(tests)
  }

  /// Reads a single value as a check for equality; nil for other nodes.
  private mutating func bare(_ node: Node) -> Check? {
    guard let check = Comparison.is.check(node, isTime: false) else { return nil }
    complain(aboutOperandOf: check, node)
    return check
  }

  /// Reports captured values in an operand that no earlier step captures, or that cannot be
  /// calculated with.
  private mutating func complain(aboutOperandOf check: Check, _ node: Node) {
    if case .calculated(_, let calculation) = check {
      complain(about: calculation, node, at: 1, isCondition: false)
    } else {
      complainOfUnknown(check.references, node)
    }
  }

  /// Reads the comparisons under a name; a single value is a comparison for equality.
  ///
  /// - Parameter isTime: Whether the subject is a time, which is compared with durations.
  private mutating func checks(_ node: Node, isTime: Bool) -> [Check] {
    if !isTime, let check = bare(node) { return [check] }
    guard let entries = node.mapping, !entries.isEmpty else {
      let expected =
        isTime ? "a comparison such as { max: 2s }" : "a value or a comparison such as { min: 10 }"
      complain(node, Problem(found: node.shown, expected: expected))
      return []
    }
    let checks = entries.flatMap { entry -> [Check] in
      if let range = range(entry, isTime: isTime) { return range }
      return check(entry, isTime: isTime).map { [$0] } ?? []
    }
    for (index, one) in checks.enumerated() {
      for other in checks[(index + 1)...] where one.contradicts(other) || other.contradicts(one) {
        let (one, other) =
          isTime ? (one.describingTime, other.describingTime) : ("\(one)", "\(other)")
        complain(node, Problem("nothing is both \(one) and \(other)"))
      }
    }
    return checks
  }

  /// Reads a range with captured values or calculations at its ends as two comparisons; nil for
  /// other comparisons.
  private mutating func range(_ entry: Node.Entry, isTime: Bool) -> [Check]? {
    guard entry.key == Comparison.between.rawValue, let ends = entry.value.sequence,
      ends.count == 2, ends.contains(where: { $0.text?.contains("{") == true })
    else { return nil }
    let checks = zip([Comparison.min, .max], ends).compactMap { comparison, end -> Check? in
      let check = comparison.check(end, isTime: isTime)
      if let check { complain(aboutOperandOf: check, end) }
      return check
    }
    return checks.count == 2 ? checks : nil
  }

  private mutating func check(_ entry: Node.Entry, isTime: Bool) -> Check? {
    let known = Comparison.all(isTime: isTime)
    guard let comparison = Comparison(rawValue: entry.key), known.contains(comparison) else {
      let message = "unknown comparison '\(entry.key)'"
      let problem = Problem.unknown(message, entry.key, among: known.map(\.rawValue))
      problems.append(problem.at(keyOf: entry))
      return nil
    }
    if let check = comparison.check(entry.value, isTime: isTime) {
      complain(aboutOperandOf: check, entry.value)
      if case .masked(let mask, let bits) = check, bits & ~mask != 0 {
        complain(entry.value, Problem("no value passes '\(check)': it has bits outside the mask"))
      }
      return check
    }
    let expected = isTime ? comparison.timeOperand : comparison.operand
    complain(entry.value, Problem(found: entry.value.shown, expected: expected))
    return nil
  }
}
