// What stands after the sign of a comparison.

import Bluetooth
import Documents

extension LineStepReader {
  static let operators = ["=", "!=", "<", "<=", ">", ">=", "in", "&", "~", "counts"]

  /// The comparison with a sign.
  ///
  /// - Parameter isTime: Whether a time is looked at, which is compared with durations.
  mutating func check(_ sign: String, isTime: Bool) throws(LineError) -> Check {
    switch sign {
    case "in" where isTime: return try times()
    case "in": return try membership()
    case "&" where !isTime: return try mask()
    case "~" where !isTime:
      return .like(try constant("a pattern, in which * and ? stand for others").text)
    case "counts" where !isTime: return try counter()
    default: break
    }
    if !isTime {
      if sign == "=" { return try compared(.equal, "a value") { .equal($0.literal) } }
      if sign == "!=" { return try compared(.notEqual, "a value") { .notEqual($0.literal) } }
    }
    guard let relation = Check.Relation(rawValue: sign), relation != .equal, relation != .notEqual
    else {
      let complaint = Complaint("'\(sign)' compares no times", expected: "<, <=, >, >= or in")
      throw LineError(complaint, at: last.place)
    }
    return try compared(relation, isTime ? "a duration such as 2s" : "a number") { word in
      (isTime ? word.milliseconds : word.literal.number).flatMap { relation.check($0) }
    }
  }

  /// The comparison with the next word: a value, or a captured one in braces.
  private mutating func compared(
    _ relation: Check.Relation,
    _ expected: String,
    _ check: (LineWord) -> Check?
  ) throws(LineError) -> Check {
    let word = try next(expected)
    let template = try template(word)
    if let path = template.onlyVariable { return .captured(relation, path) }
    if template.variables.isEmpty, let check = check(word) { return check }
    throw LineError(Complaint("'\(word.text)' stands here", expected: expected), at: word.place)
  }

  /// A word in which nothing is captured.
  private mutating func constant(_ expected: String) throws(LineError) -> LineWord {
    let word = try next(expected)
    if try template(word).variables.isEmpty { return word }
    throw LineError(Complaint("'\(word.text)' stands here", expected: expected), at: word.place)
  }

  /// `0x0f = 0x05`.
  private mutating func mask() throws(LineError) -> Check {
    let mask = try bits()
    let sign = try next("=")
    guard sign.isPlain("=") else {
      throw LineError(Complaint("'\(sign.text)' stands here", expected: "="), at: sign.place)
    }
    return .masked(mask, equal: try bits())
  }

  private mutating func bits() throws(LineError) -> UInt64 {
    let expected = "bits such as 0x0f"
    let word = try next(expected)
    if let bits = UInt64(bits: word.text) { return bits }
    throw LineError(Complaint("'\(word.text)' stands here", expected: expected), at: word.place)
  }

  /// Nothing, or `16`; then nothing, or `gaps 2`; then nothing, or `each-turn`.
  private mutating func counter() throws(LineError) -> Check {
    var rule = CounterRule(bits: nil)
    if let width = peek.flatMap({ Int($0.text) }) {
      let word = try next("8, 16 or 32")
      guard CounterRule.widths.contains(width) else {
        let complaint = Complaint("'\(word.text)' stands here", expected: "8, 16 or 32")
        throw LineError(complaint, at: word.place)
      }
      rule.bits = width
    }
    if pop(where: { $0.isPlain("gaps") }) {
      rule.gaps = try number(upTo: CounterRule.mostGaps, from: 0, "how many values may be missing")
    }
    rule.isOfEachTurn = pop(where: { $0.isPlain("each-turn") })
    return .counts(rule)
  }

  /// `1s..2s`.
  private mutating func times() throws(LineError) -> Check {
    let expected = "two durations such as 1s..2s, the smaller first"
    let word = try next(expected)
    if let dots = word.text.firstRange(of: ".."),
      let low = Duration(written: String(word.text[..<dots.lowerBound])),
      let high = Duration(written: String(word.text[dots.upperBound...])), low <= high
    {
      return .between(low.inMilliseconds, high.inMilliseconds)
    }
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

  /// The time in ms that it is.
  fileprivate var milliseconds: Double? { Duration(written: text)?.inMilliseconds }
}
