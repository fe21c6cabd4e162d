// Comparisons of the one-line form: `expect celsius in 10..40`.

import Bluetooth
import Documents

extension LineStepReader {
  /// A comparison whose subject is known only once the whole step is.
  struct Expected {
    let subject: LineWord
    let check: Check
  }

  /// What follows `expect`: a field, an operator, a value; blanks around a sign may be left out.
  mutating func expected() throws(LineError) -> Expected {
    let subject = try next("what is expected, such as percent > 20")
    if let range = subject.comparison, range.lowerBound > 0 {
      push(subject.split(at: range))
      return try expected()
    }
    var sign = try next("a comparison: one of " + Self.operators.joined(separator: ", "))
    if let range = sign.comparison, range.lowerBound == 0, range.upperBound < sign.letters.count {
      push([sign.part(range.upperBound..<sign.letters.count)])
      sign = sign.part(range)
    }
    guard !sign.isValue, Self.operators.contains(sign.text) else {
      throw LineError(
        Complaint(
          "'\(sign.text)' is no comparison",
          expected: "one of " + Self.operators.joined(separator: ", ")
        ),
        at: sign.place
      )
    }
    return Expected(subject: subject, check: try check(sign.text, isTime: subject.isTime))
  }

  /// The expectations, now that it is known what the value can be.
  func expectations(
    _ expected: [Expected],
    _ subjects: Subjects
  ) throws(LineError) -> [Expectation] {
    var expectations: [Expectation] = []
    for expected in expected {
      guard let subject = subjects.subject(expected.subject.text) else {
        let complaint = subjects.complaint(about: expected.subject.text)
        throw LineError(complaint, at: expected.subject.place)
      }
      expectations.append(Expectation(subject, expected.check))
    }
    return expectations
  }
}

extension LineWord {
  /// Whether it names a time that is measured, or a captured one.
  fileprivate var isTime: Bool {
    Measure(rawValue: VariablePath(text)?.field ?? text) != nil
  }

  /// Where the first comparison in it stands that is not in quotes.
  fileprivate var comparison: Range<Int>? {
    guard let start = firstIndex(of: "=!<>") else { return nil }
    let next = start + 1
    let isTwo = letters.indices.contains(next) && letters[next].character == "="
    return start..<(isTwo && letters[start].character != "=" ? next + 1 : next)
  }

  /// What stands before, in and after `range`, as far as there is something.
  fileprivate func split(at range: Range<Int>) -> [LineWord] {
    [0..<range.lowerBound, range, range.upperBound..<letters.count]
      .filter { !$0.isEmpty }
      .map { part($0) }
  }
}
