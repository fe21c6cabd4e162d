// Steps in steps, in the one-line form: `repeat 3 { read battery-level; sleep 1s }`.

import Bluetooth
import Documents

extension LineStepReader {
  static let blockVerbs = ["repeat", "when", "try"]

  /// The step for one of ``blockVerbs``.
  mutating func nested(_ verb: String) throws(LineError) -> Step {
    switch verb {
    case "repeat":
      let most = max(1, limits.repetitions)
      let count = try number(upTo: most, from: 1, "how many times")
      let inner = try block()
      try end()
      return Step(.repeated(count: count, inner))
    case "when":
      let condition = try condition()
      let inner = try block()
      try end()
      return Step(.when(condition, inner))
    default:
      let inner = try block()
      let word = try next("finally")
      guard word.isPlain("finally") else {
        let complaint = Complaint("'\(word.text)' stands here", expected: "finally")
        throw LineError(complaint, at: word.place)
      }
      let last = try block()
      return Step(.tried(inner, finally: last), timeout: try limit())
    }
  }

  /// `reading.celsius > 30 and battery.percent >= 20`, up to the block.
  private mutating func condition() throws(LineError) -> Condition {
    var tests: [Condition.Test] = []
    repeat {
      let expected = try expected()
      guard let path = VariablePath(expected.subject.text) else {
        let complaint = Complaint(
          "'\(expected.subject.text)' is no name",
          expected: VariablePath.shape
        )
        throw LineError(complaint, at: expected.subject.place)
      }
      if let complaint = scope.complaint(about: path) {
        throw LineError(complaint, at: expected.subject.place)
      }
      tests.append(Condition.Test(path, expected.check))
    } while pop(where: { $0.isPlain("and") })
    return Condition(tests)
  }

  /// The steps in the braces that follow.
  mutating func block() throws(LineError) -> [Step] {
    let blocks = try braces("steps in braces: { read battery-level }")
    guard depth < limits.depth else {
      let complaint = Complaint("more than \(limits.depth) steps lie in one another")
      throw LineError(complaint, at: last.place)
    }
    var steps: [Step] = []
    for words in blocks {
      var reader = LineStepReader(
        words,
        scope: scope,
        limits: limits,
        depth: depth + 1,
        surroundings
      )
      steps += try reader.steps()
      (scope, surroundings) = (reader.scope, reader.surroundings)
    }
    return steps
  }

  /// The words of each step in the braces that follow.
  mutating func braces(_ expected: String) throws(LineError) -> [[LineWord]] {
    let word = try next(expected)
    guard let block = word.block else {
      throw LineError(Complaint("'\(word.text)' stands here", expected: expected), at: word.place)
    }
    guard !block.isEmpty else {
      throw LineError(Complaint("there are no steps", expected: "at least one"), at: word.place)
    }
    return block
  }

  /// The step, whose value is captured from here on; those of a file that is included.
  mutating func steps() throws(LineError) -> [Step] {
    if pop(where: { $0.isPlain("include") }) { return try include() }
    let step = try step()
    guard let name = step.capture else { return [step] }
    if let complaint = scope.complaint(aboutCapturing: name) {
      throw LineError(complaint, at: first.place)
    }
    scope.capture(name, fields: step.fields)
    return [step]
  }
}
