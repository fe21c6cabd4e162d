// Converts the words of one step to the nodes of a chain file, with their places in the line.
//
// The descriptions of the steps define the words; the reader of files interprets the nodes.

import Bluetooth
import Documents

/// A parser of the words of one step, which stops at the first error.
struct LineLowering {
  private var words: [LineWord]
  let first: LineWord
  /// The last parsed word, at which a missing word is reported.
  private(set) var last: LineWord
  let limits: PlanLimits

  /// - Parameter words: At least one word.
  init(_ words: [LineWord], _ limits: PlanLimits) {
    first = words[0]
    last = words[0]
    self.words = words.reversed()
    self.limits = limits
  }

  mutating func step() throws(Problem) -> Node {
    let word = try next("a step")
    guard let entry = Step.entry(word.text) else {
      throw Problem.unknownStep(word.text).at(word.place)
    }
    return try mapping(entry.verb, entry.descriptions)
  }

  /// Parses the verb and its keys as a mapping.
  mutating func mapping(_ verb: String, _ keys: [KeyDescription]) throws(Problem) -> Node {
    var entries = LineEntries()
    for key in keys { try parse(inOrder: key, &entries) }
    try parseOptions(keys, &entries)
    try complainOfMissing(keys, entries)
    if entries[verb] == nil {
      entries.add(verb, at: first.place, node(.scalar("", isPlain: true), first.place))
    }
    return node(.mapping(entries.all), first.place)
  }

  /// Parses a key whose words come before all options.
  private mutating func parse(
    inOrder key: KeyDescription, _ entries: inout LineEntries
  ) throws(Problem) {
    switch key.form {
    case .target:
      try entries.set(key.name, at: first, scalar(next(key), key.shape))
    case .condition:
      if peek?.firstIndex(of: "(") == 0 {
        return try entries.set(key.name, at: first, calculation())
      }
      repeat {
        let comparison = try comparison()
        entries.merge(key.name, at: first.place, comparison)
      } while pop(where: { $0.isPlain("and") })
    case .calculation:
      let isInParentheses = peek?.firstIndex(of: "(") == 0
      try entries.set(
        key.name, at: first, isInParentheses ? calculation() : scalar(next(key), key.shape)
      )
    case .steps(let word):
      if let word {
        if !key.isRequired, peek?.isPlain(word) != true { return }
        try expect(word)
      }
      try parseBlocks(key, &entries) { lowering throws(Problem) in try lowering.step() }
    case .inputs(let keys):
      try parseBlocks(key, &entries) { lowering throws(Problem) in try lowering.input(keys) }
    case .option, .repeated, .flag, .bare, .parts, .members, .write, .comparisons, .stop, .binding:
      return
    }
  }

  /// Parses a list of nodes in braces.
  private mutating func parseBlocks(
    _ key: KeyDescription, _ entries: inout LineEntries,
    _ lower: (inout LineLowering) throws(Problem) -> Node
  ) throws(Problem) {
    let blocks = try braces(key.shape.line(limits))
    var nodes: [Node] = []
    for words in blocks {
      var lowering = LineLowering(words, limits)
      nodes.append(try lower(&lowering))
    }
    entries.add(key.name, at: last.place, node(.sequence(nodes), last.place))
  }

  /// Parses one input of a combination.
  private mutating func input(_ keys: [KeyDescription]) throws(Problem) -> Node {
    let verbs = keys.filter(\.isTarget)
    let names = verbs.map(\.name).joined(separator: " or ")
    let word = try next(names)
    guard let verb = verbs.first(where: { word.isPlain($0.name) }) else {
      throw Problem(found: "'\(word.text)'", expected: names).at(word.place)
    }
    return try mapping(verb.name, keys.filter { !$0.isTarget || $0.name == verb.name })
  }

  /// Parses a calculation in parentheses, whose words may have spaces and quotes.
  ///
  /// - Returns: The calculation as in a file, without the parentheses around all of it.
  private mutating func calculation() throws(Problem) -> Node {
    let start = try next("a calculation in parentheses")
    let second = peek
    var (text, depth, closings) = ("", 0, 0)
    var word = start
    while true {
      text += (text.isEmpty ? "" : " ") + word.calculation
      for letter in word.letters where !letter.isQuoted && "()".contains(letter.character) {
        depth += letter.character == "(" ? 1 : -1
        closings += depth == 0 ? 1 : 0
      }
      guard depth > 0 else { break }
      word = try next(") at the end of the calculation")
    }
    guard closings == 1, let last = word.letters.last, last.character == ")", !last.isQuoted else {
      return node(.scalar(text, isPlain: false), start.place)
    }
    let isSpace = { (character: Character) in character == " " }
    let inner = text.dropFirst().dropLast().trimmingPrefix(while: isSpace)
    let outer = start.letters.count == 1 ? second?.place : nil
    let place = outer ?? start.part(1..<start.letters.count).place
    let end = inner.lastIndex { !isSpace($0) }.map { inner.index(after: $0) } ?? inner.startIndex
    return node(.scalar(String(inner[..<end]), isPlain: false), place)
  }

  // MARK: Options

  private mutating func parseOptions(
    _ keys: [KeyDescription], _ entries: inout LineEntries
  ) throws(Problem) {
    let options = LineOptions(keys)
    while let word = pop() {
      guard let option = options.next(word) else {
        throw options.problem(about: word).at(word.place)
      }
      guard let outer = option.outer else {
        try parse(option: option.key, word, &entries)
        continue
      }
      var inner = LineEntries()
      try parse(option: option.key, word, &inner)
      for entry in inner.all {
        if case .mapping(let known)? = entries[outer.name]?.content,
          known.contains(where: { $0.key == entry.key })
        {
          throw Problem.duplicateOption(word.text).at(word.place)
        }
        entries.merge(outer.name, at: first.place, node(.mapping([entry]), word.place))
      }
    }
  }

  private mutating func parse(
    option key: KeyDescription, _ word: LineWord, _ entries: inout LineEntries
  ) throws(Problem) {
    switch key.form {
    case .option:
      try entries.set(key.name, at: word, scalar(next(key), key.shape))
    case .repeated:
      let value = try scalar(next(key), key.shape)
      entries.append(key.name, at: word.place, value)
    case .flag:
      try entries.set(key.name, at: word, node(.scalar("true", isPlain: true), word.place))
    case .bare:
      // The name of the key may precede the word: `kind command`.
      let value = word.isPlain(key.name) ? try next(key) : word
      try entries.set(key.name, at: word, scalar(value, key.shape))
    case .parts: entries.append(key.name, at: word.place, try part(word))
    case .write(_, let keys):
      let blocks = try braces(key.shape.line(limits))
      let start = blocks[0][0]
      guard blocks.count == 1, start.isPlain(WriteStep.verb) else {
        throw Problem(
          found: blocks.count == 1 ? "'\(start.text)'" : "\(blocks.count) steps",
          expected: "one 'write'"
        ).at(start.place)
      }
      var lowering = LineLowering(blocks[0], limits)
      _ = lowering.pop()
      try entries.set(key.name, at: word, lowering.mapping(WriteStep.verb, keys))
    case .comparisons: entries.merge(key.name, at: word.place, try comparison())
    case .stop: try parseStop(key, word, &entries)
    case .binding:
      let binding = try binding(key)
      entries.merge(key.name, at: word.place, node(.mapping([binding]), word.place))
    case .target, .condition, .calculation, .steps, .inputs, .members: return
    }
  }

  private func complainOfMissing(_ keys: [KeyDescription], _ entries: LineEntries) throws(Problem) {
    for key in keys where key.isRequired && entries[key.name] == nil {
      let expected = key.shape.line(limits)
      guard let word = key.word else {
        throw Problem("the value is missing", expected: expected).at(last.place)
      }
      let message = "'\(first.text)' is not complete"
      throw Problem(message, expected: "'\(word)' with \(expected)").at(first.place)
    }
  }

  // MARK: Words

  /// Removes and returns the next word; nil if there is none.
  mutating func pop() -> LineWord? {
    guard let word = words.popLast() else { return nil }
    last = word
    return word
  }

  /// The next word, without removing it.
  var peek: LineWord? { words.last }

  /// Removes the next word if it matches.
  mutating func pop(where matches: (LineWord) -> Bool) -> Bool {
    guard let word = words.last, matches(word) else { return false }
    _ = pop()
    return true
  }

  /// Removes and returns the next word, the required value of a key.
  private mutating func next(_ key: KeyDescription) throws(Problem) -> LineWord {
    try next(key.shape.line(limits))
  }

  mutating func next(_ expected: String) throws(Problem) -> LineWord {
    if let word = pop() { return word }
    throw Problem("nothing follows '\(last.text)'", expected: expected).at(last.place)
  }

  /// Removes the next word, which must be `word`.
  mutating func expect(_ word: String) throws(Problem) {
    let found = try next(word)
    guard !found.isPlain(word) else { return }
    throw Problem(found: "'\(found.text)'", expected: word).at(found.place)
  }

  /// Puts words back in front of the others.
  mutating func push(_ more: [LineWord]) { words += more.reversed() }

  /// Removes the next block in braces, and returns the words of each step in it.
  private mutating func braces(_ expected: String) throws(Problem) -> [[LineWord]] {
    let word = try next(expected)
    guard let block = word.block else {
      throw Problem(found: "'\(word.text)'", expected: expected).at(word.place)
    }
    guard !block.isEmpty else {
      throw Problem("there are no steps", expected: "at least one").at(word.place)
    }
    return block
  }
}

extension LineWord {
  /// The word in a calculation: quoted letters are a text, in quotes again.
  fileprivate var calculation: String {
    let quote = letters.contains { $0.isQuoted && $0.character == "\"" } ? "'" : "\""
    var (text, isInside) = ("", false)
    for letter in letters {
      if letter.isQuoted != isInside { text += quote }
      isInside = letter.isQuoted
      text.append(letter.character)
    }
    if isQuoted, letters.isEmpty { return quote + quote }
    return isInside ? text + quote : text
  }
}

extension KeyDescription {
  /// Whether the word after the verb is the value of this key.
  fileprivate var isTarget: Bool { if case .target = form { true } else { false } }
}

extension Problem {
  static func duplicateOption(_ word: String) -> Problem {
    Problem("duplicate option '\(word)'")
  }
}
