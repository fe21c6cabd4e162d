// Expectations and conditions: comparisons of values.

import Bluetooth
import Documents

extension StepReader {
  /// `expect: { celsius: { between: [10, 40] }, type: mouth }`, or a single value.
  mutating func expectations(_ node: Node) -> [Expectation]? {
    if let complaint = subjects.complaint(aboutLine: node.text ?? "") {
      complain(node, complaint)
      return nil
    }
    if let check = bare(node) { return [Expectation(.value, check)] }
    guard let entries = node.mapping, !entries.isEmpty else { return nil }
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
    guard let entries = node.mapping, !entries.isEmpty else { return nil }
    let tests = entries.flatMap { entry -> [Condition.Test] in
      let checks = checks(entry.value, isTime: Measure.isNamed(by: entry.key))
      guard let path = VariablePath(entry.key) else {
        let complaint = Complaint(found: "'\(entry.key)'", expected: VariablePath.shape)
        problems.append(complaint.at(entry.keyPlace, path: entry.value.path))
        return []
      }
      if let complaint = scope.complaint(about: path) {
        problems.append(complaint.at(entry.keyPlace, path: entry.value.path))
      }
      return checks.map { Condition.Test(path, $0) }
    }
    return Condition(tests)
  }

  /// A single value, which the value must equal.
  private mutating func bare(_ node: Node) -> Check? {
    guard let check = Comparison.is.check(node, isTime: false) else { return nil }
    complainOfUnknown(check.references, node)
    return check
  }

  /// The comparisons under a name; a single value is a comparison for equality.
  ///
  /// - Parameter isTime: Whether the name is that of a time, which is compared with durations.
  private mutating func checks(_ node: Node, isTime: Bool) -> [Check] {
    if !isTime, let check = bare(node) { return [check] }
    guard let entries = node.mapping, !entries.isEmpty else {
      let expected =
        isTime ? "a comparison such as { max: 2s }" : "a value or a comparison such as { min: 10 }"
      complain(node, Complaint(found: node.shown, expected: expected))
      return []
    }
    return entries.compactMap { check($0, isTime: isTime) }
  }

  private mutating func check(_ entry: Node.Entry, isTime: Bool) -> Check? {
    let known = Comparison.all(isTime: isTime)
    guard let comparison = Comparison(rawValue: entry.key), known.contains(comparison) else {
      let message = "unknown comparison '\(entry.key)'"
      let complaint = Complaint.unknown(message, entry.key, among: known.map(\.rawValue))
      problems.append(complaint.at(entry.keyPlace, path: entry.value.path))
      return nil
    }
    if let check = comparison.check(entry.value, isTime: isTime) {
      complainOfUnknown(check.references, entry.value)
      return check
    }
    let expected = isTime ? comparison.takesTime : comparison.takes
    complain(entry.value, Complaint(found: entry.value.shown, expected: expected))
    return nil
  }
}
