// Detects comparisons that no value can pass, and suggests a correction.
//
// They are errors in the file, found before the chain runs.

import Bluetooth
import Documents

extension Subjects {
  /// The problem of a check that no value of a subject can pass; nil if one may.
  func problem(about check: Check, of subject: Expectation.Subject) -> Problem? {
    if case .format(let format) = subject, let problem = format.problem(about: check) {
      return problem
    }
    if case .counts = check, subject.isOfWholeStream {
      return Problem(
        "'counter' compares each value with the one before it, and \(subject) is one number"
      )
    }
    let isValue = subject == .value
    var problem = Self.problem(
      check,
      isValue ? "the value" : "\(subject)",
      kind(of: subject),
      isValue ? .value : .part
    )
    if !check.literals.isEmpty, let reason = reason(of: subject) {
      problem?.message += ": \(reason)"
    }
    return problem
  }

  /// The problem of a check that no captured value can pass; nil if one may.
  ///
  /// - Parameter steps: The steps that capture under the name; nil if they are unknown.
  static func problem(
    about check: Check, of path: VariablePath, capturedBy steps: [Subjects]?
  ) -> Problem? {
    let lists = steps?.filter { $0.isList(path) } ?? []
    if !lists.isEmpty, lists.count == steps?.count, check.isOfOneNumber {
      return Problem(
        "\(path) is a list, and never \(check.shown)",
        expected: "a function of it, such as max(\(path)) in a calculation"
      )
    }
    let kinds = steps?.map { $0.kind(of: path) } ?? [nil]
    let place = path.field == nil ? Place.captured : .part
    let problems = kinds.compactMap { problem(check, "\(path)", $0, place) }
    return problems.count == kinds.count ? problems.first : nil
  }

  /// The kind of a captured value, or of a part of it; nil if it is unknown.
  func kind(of path: VariablePath) -> ValueKind? {
    if path.slice != nil {
      return path.field.flatMap { KeptPart($0) }?.word == .values ? nil : .octets
    }
    guard let field = path.field else { return kind(of: .value) }
    if let subject = subject(field) { return kind(of: subject) }
    guard let part = KeptPart(field), has(part) else { return nil }
    switch part.word {
    case .first, .last:
      return part.field.map(subject).map { $0.flatMap(kind(of:)) } ?? kind(of: .value)
    case .bytes: return .octets
    case .values: return nil
    }
  }

  /// The kind of a captured value, or of a part of it, in a calculation; nil if it is unknown.
  func calculatedKind(of path: VariablePath) -> Expression.Kind? {
    guard let field = path.field, subject(field) == nil, let part = KeptPart(field), has(part),
      part.word == .values
    else { return kind(of: path).map { Expression.Kind($0) } }
    let element = part.field.map(subject).map { $0.flatMap(kind(of:)) } ?? kind(of: .value)
    return .list(element.map { Expression.Kind($0) })
  }

  private func isList(_ path: VariablePath) -> Bool {
    if case .list? = calculatedKind(of: path) { true } else { false }
  }

  /// The origin of the compared value, which decides the suggested correction.
  fileprivate enum Place {
    /// The value of the step itself, which may have a format.
    case value
    /// A captured value.
    case captured
    /// A field or a slice of a value.
    case part
  }

  private static func problem(
    _ check: Check, _ name: String, _ kind: ValueKind?, _ place: Place
  ) -> Problem? {
    if kind?.isText != true, let literal = check.literals.first,
      check.literals.count == 1, let comparison = literal.comparison
    {
      let text = "the text '\(literal.text)'"
      return Problem(
        kind.map { "\(name) is \($0.words), and not \(text)" }
          ?? "\(name) is compared with \(text)",
        expected: comparison
      )
    }
    guard let kind else { return nil }
    if let problem = kind.problem(about: check, name) { return problem }
    guard kind.excludes(check) else { return nil }
    return Problem(
      "\(name) is \(kind.words), so it cannot be \(check.shown)",
      expected: kind.remedy(for: check, place)
    )
  }
}

extension ValueKind {
  fileprivate var words: String {
    switch self {
    case .number: "a number"
    case .boolean: "yes or no"
    case .text, .choice: "a text"
    case .time: "a date and time"
    case .octets: "bytes"
    }
  }

  /// The problem of a check whose operand has the right kind but is never a valid value, such as a
  /// number out of range.
  fileprivate func problem(about check: Check, _ name: String) -> Problem? {
    switch self {
    case .number(_, let range, let isWhole):
      if case .captured(_, let path) = check, path.slice != nil {
        let problem = "\(name) is a number, so it cannot be the bytes {\(path)}"
        return Problem(problem, expected: "hex: '{\(path)}'")
      }
      if isWhole, check.isFraction {
        return Problem("\(name) cannot be \(check.shown)", expected: "a whole number")
      }
      guard let range, check.excludes(range) else { return nil }
      let low = Bound(range.lowerBound)
      let words =
        range.upperBound.isFinite ? "from \(low) to \(Bound(range.upperBound))" : "at least \(low)"
      return Problem("\(name) is \(words), so it cannot be \(check)")
    case .choice(let names, let isOpen):
      func isName(_ literal: Literal) -> Bool {
        names.contains(literal.text) || isOpen && literal.text.hasPrefix("reserved (")
      }
      guard let text = check.literals.first(where: { !isName($0) })?.text,
        !check.literals.contains(where: isName)
      else { return nil }
      return .unknown("\(name) cannot be '\(text)'", text, among: names)
    case .time:
      let isPossible = check.literals.contains { DateTime($0.text)?.description == $0.text }
      guard let literal = check.literals.first, !isPossible else { return nil }
      return Problem(
        "\(name) is a date and time, so it cannot be '\(literal.text)'",
        expected: "one such as 2026-01-31 23:59:00"
      )
    case .boolean, .text, .octets: return nil
    }
  }

  /// Whether a check passes for no value of this kind.
  fileprivate func excludes(_ check: Check) -> Bool {
    switch check {
    case .equal, .oneOf: !check.literals.contains(where: admits)
    case .above, .atLeast, .below, .atMost, .between, .masked, .counts: !isNumber
    case .notEqual, .like, .captured, .calculated: false
    }
  }

  fileprivate var isText: Bool {
    switch self {
    case .text, .choice, .time: true
    case .number, .boolean, .octets: false
    }
  }

  private var isNumber: Bool { if case .number = self { true } else { false } }

  private func admits(_ literal: Literal) -> Bool {
    switch self {
    case .number(let orText, _, _): orText || literal.number != nil
    case .boolean: ["true", "yes", "false", "no"].contains(literal.text)
    case .text, .choice, .time: true
    case .octets: literal.digits != nil
    }
  }

  /// The suggested correction of a check.
  fileprivate func remedy(for check: Check, _ place: Subjects.Place) -> String {
    switch self {
    case .number:
      guard let text = check.literals.first?.text, Literal.number(text) != nil else {
        return "a number, or a comparison such as { min: 20 }"
      }
      return "\(text) without quotes"
    case .boolean: return "yes or no"
    case .text, .choice, .time: return "a text, or a pattern such as { like: 'a*' }"
    case .octets:
      let number = check.literals.first?.number.flatMap { UInt8(exactly: $0) }
      let digits = number.map { "\(DecodedValue.octets([$0]))" } ?? "01ff"
      switch place {
      case .part: return "pairs of hex digits such as 01ff"
      case .captured:
        return "pairs of hex digits such as \(digits), or a 'format' of the step that captures it"
      case .value:
        let comparison = number.map { "\($0)" } ?? "{ min: 1 }"
        return "hex: \(digits), u8: \(comparison), or a 'format' of the step"
      }
    }
  }
}

extension ValueFormat {
  /// The problem of a number that the format cannot encode; nil if it can.
  fileprivate func problem(about check: Check) -> Problem? {
    guard case .equal(let literal) = check, let whole = literal.bound?.whole,
      case .number(_, _, isWhole: true) = valueKind
    else { return nil }
    do {
      _ = try encode("\(whole)")
      return nil
    } catch {
      return Problem("\(name) cannot be \(literal.text): \(error.problem)")
    }
  }
}

extension Check {
  /// Whether only a number passes.
  fileprivate var isOfOneNumber: Bool {
    switch self {
    case .equal, .oneOf: !literals.isEmpty && literals.allSatisfy { $0.number != nil }
    case .above, .atLeast, .below, .atMost, .between, .masked, .counts: true
    case .notEqual, .like, .captured, .calculated: false
    }
  }

  /// Whether no number of a range passes.
  fileprivate func excludes(_ range: ClosedRange<Double>) -> Bool {
    switch self {
    case .equal, .oneOf:
      !literals.isEmpty && literals.allSatisfy { $0.number.map { !range.contains($0) } ?? false }
    case .above(let bound): bound.value >= range.upperBound
    case .atLeast(let bound): bound.value > range.upperBound
    case .below(let bound): bound.value <= range.lowerBound
    case .atMost(let bound): bound.value < range.lowerBound
    case .between(let low, let high):
      high.value < range.lowerBound || low.value > range.upperBound
    case .notEqual, .masked, .like, .counts, .captured, .calculated: false
    }
  }

  /// Whether the check is an equality with fractions only.
  fileprivate var isFraction: Bool {
    !literals.isEmpty && literals.allSatisfy { $0.bound.map { $0.whole == nil } ?? false }
  }

  /// Whether no number passes both this lower bound and the other check's upper bound.
  func contradicts(_ other: Check) -> Bool {
    guard let low = lower, let high = other.upper else { return false }
    if low.bound <= high.bound, high.bound <= low.bound { return !low.isIn || !high.isIn }
    return high.bound <= low.bound
  }

  private var lower: (bound: Bound, isIn: Bool)? {
    switch self {
    case .above(let bound): (bound, false)
    case .atLeast(let bound), .between(let bound, _): (bound, true)
    case .equal, .notEqual, .below, .atMost, .oneOf, .masked, .like, .counts, .captured,
      .calculated:
      nil
    }
  }

  private var upper: (bound: Bound, isIn: Bool)? {
    switch self {
    case .below(let bound): (bound, false)
    case .atMost(let bound), .between(_, let bound): (bound, true)
    case .equal, .notEqual, .above, .atLeast, .oneOf, .masked, .like, .counts, .captured,
      .calculated:
      nil
    }
  }

  /// The literals of an equality check; empty for other checks.
  fileprivate var literals: [Literal] {
    switch self {
    case .equal(let literal): [literal]
    case .oneOf(let literals): literals
    case .notEqual, .above, .atLeast, .below, .atMost, .between, .masked, .like, .counts,
      .captured, .calculated:
      []
    }
  }

  /// The check as an error quotes it after "cannot be".
  fileprivate var shown: String {
    switch self {
    case .equal(let literal): literal.number == nil ? "the text '\(literal.text)'" : literal.text
    case .oneOf: "one of these"
    case .notEqual, .above, .atLeast, .below, .atMost, .between, .masked, .like, .counts,
      .captured, .calculated:
      "compared with a number"
    }
  }
}

extension Literal {
  /// The comparison that a text looks like: `{ min: 20 }` for `>= 20`; nil for other texts.
  fileprivate var comparison: String? {
    let sign = text.prefix { "=!<>".contains($0) }
    guard number == nil, let key = Comparison(sign: sign == "==" ? "=" : sign) else { return nil }
    let operand = text.dropFirst(sign.count).drop { $0 == " " }
    return Self.number(String(operand)).map { _ in "{ \(key.rawValue): \(operand) }" }
  }
}
