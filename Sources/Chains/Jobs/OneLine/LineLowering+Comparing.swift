// Converts comparisons of the one-line form to nodes.
//
// `celsius in 10..40` becomes `celsius: { between: [10, 40] }`.

import Bluetooth
import Documents

extension LineLowering {
  /// Parses a name, a sign and a value; spaces around the sign are optional.
  mutating func comparison() throws(Problem) -> Node {
    let subject = try subject()
    if let range = subject.comparison, range.lowerBound > 0 {
      push(subject.split(at: range))
      return try comparison()
    }
    let word = try signWord()
    guard !word.isValue, let sign = Comparison(sign: word.text) else {
      throw unexpected(word, Comparison.allSigns)
    }
    let isTime = Measure.isNamed(by: subject.text)
    let (comparison, value) = try value(after: sign, isTime: isTime)
    guard Comparison.all(isTime: isTime).contains(comparison) else {
      let problem = Problem("'\(word.text)' cannot compare times", expected: "<, <=, >, >= or in")
      throw problem.at(word.place)
    }
    let check = Node.Entry(key: comparison.rawValue, keyPlace: word.place, value: value)
    let entry = Node.Entry(
      key: subject.text, keyPlace: subject.place, value: node(.mapping([check]), word.place)
    )
    return node(.mapping([entry]), subject.place)
  }

  /// Parses the subject, which may have spaces in its brackets: `crc16(bytes, modbus)`.
  private mutating func subject() throws(Problem) -> LineWord {
    var subject = try next("a condition such as percent > 20")
    guard let open = subject.firstIndex(of: "("), open > 0,
      subject.firstIndex(of: "=!<>").map({ open < $0 }) ?? true
    else { return subject }
    while subject.firstIndex(of: ")") == nil {
      guard let more = pop() else {
        throw Problem("the bracket is not closed", expected: "')' after '\(subject.text)'")
          .at(subject.place)
      }
      subject.letters += more.letters
    }
    return subject
  }

  private mutating func signWord() throws(Problem) -> LineWord {
    let sign = try next("a comparison: " + Comparison.allSigns)
    guard let range = sign.comparison, range.lowerBound == 0,
      range.upperBound < sign.letters.count
    else { return sign }
    push([sign.part(range.upperBound..<sign.letters.count)])
    return sign.part(range)
  }

  private mutating func value(
    after sign: Comparison, isTime: Bool
  ) throws(Problem) -> (Comparison, Node) {
    switch sign {
    case .is, .not: (sign, try literal("a value"))
    case .min, .max, .above, .below: (sign, try literal(isTime ? sign.timeOperand : sign.operand))
    case .in, .between: isTime ? (.between, try times()) : try membership()
    case .mask: (sign, try mask())
    case .like: (sign, try text(try next(sign.operand)))
    case .counter: (sign, try counter())
    }
  }

  private mutating func literal(_ expected: String) throws(Problem) -> Node {
    literal(try next(expected))
  }

  private func literal(_ word: LineWord) -> Node {
    let plain = node(.scalar(word.template, isPlain: true), word.place)
    guard word.isQuoted || plain.isNull else { return plain }
    return node(.scalar(word.template, isPlain: false), word.place)
  }

  private func text(_ word: LineWord) throws(Problem) -> Node {
    node(.scalar(word.template, isPlain: false), word.place)
  }

  /// Parses a mask: `0x0f = 0x05`.
  private mutating func mask() throws(Problem) -> Node {
    let mask = try bits()
    try expect("=")
    return node(.sequence([mask, try bits()]), mask.place)
  }

  private mutating func bits() throws(Problem) -> Node {
    let word = try next("bits such as 0x0f")
    guard UInt64(bits: word.text) != nil else { throw unexpected(word, "bits such as 0x0f") }
    return node(.scalar(word.text, isPlain: false), word.place)
  }

  /// Parses the optional width and gaps of a counter: `16 gaps 2`.
  private mutating func counter() throws(Problem) -> Node {
    let start = last.place
    var entries: [Node.Entry] = []
    func add(_ key: CounterKey, _ text: String, _ place: Place) {
      let value = node(.scalar(text, isPlain: true), place)
      entries.append(Node.Entry(key: key.rawValue, keyPlace: place, value: value))
    }
    if let width = peek.flatMap({ Int($0.text) }), let word = pop() {
      guard CounterRule.widths.contains(width) else { throw unexpected(word, "8, 16 or 32") }
      add(.bits, word.text, word.place)
    }
    if pop(where: { $0.isPlain(CounterKey.gaps.rawValue) }) {
      let expected = "a number of missing values, from 0 to \(CounterRule.mostGaps)"
      let word = try next(expected)
      guard let gaps = Int(word.text), (0...CounterRule.mostGaps).contains(gaps) else {
        throw unexpected(word, expected)
      }
      add(.gaps, word.text, word.place)
    }
    guard !entries.isEmpty else { return node(.scalar("true", isPlain: true), start) }
    return node(.mapping(entries), start)
  }

  /// Parses a range of times: `1s..2s`.
  private mutating func times() throws(Problem) -> Node {
    let expected = "two durations such as 1s..2s, the smaller first"
    let word = try next(expected)
    guard let bounds = bounds(word),
      Comparison.between.check(bounds, isTime: true) != nil
    else { throw unexpected(word, expected) }
    return bounds
  }

  /// Parses a range or a list: `10..40`, or `chest,wrist`.
  private mutating func membership() throws(Problem) -> (Comparison, Node) {
    let expected = "two numbers such as 10..40, or values with commas between"
    var word = try next(expected)
    let start = word.place
    if !word.isQuoted, let bounds = bounds(word) {
      guard Comparison.between.check(bounds, isTime: false) != nil else {
        throw unexpected(word, "two numbers such as 10..40, the smaller first")
      }
      return (.between, bounds)
    }
    var words = word.splitAtCommas()
    // A space may follow a comma.
    while let last = words.last, last.letters.isEmpty, !last.isQuoted, words.count > 1 {
      word = try next(expected)
      words.removeLast()
      words += word.splitAtCommas()
    }
    return (.in, node(.sequence(words.map { literal($0) }), start))
  }

  /// Splits a word at two dots.
  private func bounds(_ word: LineWord) -> Node? {
    let text = word.text
    guard let dots = text.firstRange(of: "..") else { return nil }
    let bounds = [text[..<dots.lowerBound], text[dots.upperBound...]].map {
      node(.scalar(String($0), isPlain: true), word.place)
    }
    return node(.sequence(bounds), word.place)
  }

  private func unexpected(_ word: LineWord, _ expected: String) -> Problem {
    Problem(found: "'\(word.text)'", expected: expected).at(word.place)
  }
}

extension LineWord {
  /// The range of the first comparison sign outside quotes.
  fileprivate var comparison: Range<Int>? {
    guard let start = firstIndex(of: "=!<>") else { return nil }
    let next = start + 1
    let isTwo = letters.indices.contains(next) && letters[next].character == "="
    return start..<(isTwo && letters[start].character != "=" ? next + 1 : next)
  }

  /// Splits the word before, in and after `range`, without empty parts.
  fileprivate func split(at range: Range<Int>) -> [LineWord] {
    [0..<range.lowerBound, range, range.upperBound..<letters.count]
      .filter { !$0.isEmpty }
      .map { part($0) }
  }
}
