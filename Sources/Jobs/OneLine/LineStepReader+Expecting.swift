// Comparisons of the one-line form: `expect celsius in 10..40`.

import Bluetooth
import Documents

extension LineStepReader {
  /// A comparison whose subject is known only once the whole step is.
  struct Expected {
    let subject: LineWord
    let check: Check
  }

  private static let operators = ["=", "!=", "<", "<=", ">", ">=", "in"]

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
    guard !sign.isQuoted, Self.operators.contains(sign.text) else {
      throw LineError(
        Complaint(
          "'\(sign.text)' is no comparison",
          expected: "one of " + Self.operators.joined(separator: ", ")
        ),
        at: sign.place
      )
    }
    return Expected(subject: subject, check: try check(sign.text))
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

  private mutating func check(_ sign: String) throws(LineError) -> Check {
    switch sign {
    case "=": try compared(.equal, "a value") { .equal($0) }
    case "!=": try compared(.notEqual, "a value") { .notEqual($0) }
    case "<": try compared(.below) { $0.number.map { .below($0) } }
    case "<=": try compared(.atMost) { $0.number.map { .atMost($0) } }
    case ">": try compared(.above) { $0.number.map { .above($0) } }
    case ">=": try compared(.atLeast) { $0.number.map { .atLeast($0) } }
    default: try membership()
    }
  }

  /// The comparison with the next word: a value, or a captured one in braces.
  private mutating func compared(
    _ relation: Check.Relation,
    _ expected: String = "a number",
    _ check: (Literal) -> Check?
  ) throws(LineError) -> Check {
    let word = try next(expected)
    let template = try template(word)
    if let path = template.onlyVariable { return .captured(relation, path) }
    if template.variables.isEmpty, let check = check(word.literal) { return check }
    throw LineError(Complaint("'\(word.text)' stands here", expected: expected), at: word.place)
  }

  /// `10..40`, or `chest,wrist`.
  private mutating func membership() throws(LineError) -> Check {
    let expected = "two numbers such as 10..40, or values with commas between"
    var word = try next(expected)
    if !word.isQuoted, let dots = word.text.firstRange(of: "..") {
      let low = Literal.number(String(word.text[..<dots.lowerBound]))
      let high = Literal.number(String(word.text[dots.upperBound...]))
      if let low, let high, low <= high { return .between(low, high) }
      let message = "'\(word.text)' stands here"
      throw LineError(
        Complaint(message, expected: "two numbers such as 10..40, the smaller first"),
        at: word.place
      )
    }
    var words = word.splitAtCommas()
    // A blank may follow a comma.
    while let last = words.last, last.letters.isEmpty, !last.isQuoted, words.count > 1 {
      word = try next(expected)
      words.removeLast()
      words += word.splitAtCommas()
    }
    return .oneOf(words.map(\.literal))
  }
}

extension LineWord {
  /// What it is to be compared with.
  fileprivate var literal: Literal { Literal(text, isQuoted: isQuoted) }

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
