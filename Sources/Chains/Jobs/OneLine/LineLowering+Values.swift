// Converts single words of the one-line form to nodes.

import Bluetooth
import Documents

extension LineLowering {
  func node(_ content: Node.Content, _ place: Place) -> Node { Node(content, at: place, path: "") }

  /// Converts a word to the value of a key.
  func scalar(_ word: LineWord, _ shape: ShapeDescription) throws(Problem) -> Node {
    switch shape.word {
    case .text: return node(.scalar(word.text, isPlain: false), word.place)
    case .template: return node(.scalar(word.template, isPlain: false), word.place)
    case .number: return node(.scalar(word.text, isPlain: true), word.place)
    case .truth:
      let truth = ["yes": "true", "true": "true", "no": "false", "false": "false"][word.text]
      return node(.scalar(truth ?? word.text, isPlain: truth != nil), word.place)
    case .constant:
      guard !word.letters.contains(where: \.isFilled) else {
        throw Problem(found: "'\(word.text)'", expected: shape.line(limits)).at(word.place)
      }
      return node(.scalar(word.text, isPlain: false), word.place)
    case .reference: return try reference(word, shape)
    }
  }

  /// Parses `env:NAME`. An invalid word may be a passkey, so errors do not quote it.
  private func reference(_ word: LineWord, _ shape: ShapeDescription) throws(Problem) -> Node {
    if let colon = word.firstIndex(of: ":"), colon + 1 < word.letters.count,
      let key = SecretKey(rawValue: word.part(0..<colon).text)
    {
      let value = word.part(colon + 1..<word.letters.count)
      let entry = Node.Entry(
        key: key.rawValue, keyPlace: word.place,
        value: node(.scalar(value.text, isPlain: false), value.place)
      )
      return node(.mapping([entry]), word.place)
    }
    let message = "a passkey is not written on a command line"
    throw Problem(message, expected: shape.line(limits)).at(word.place)
  }

  /// Parses a value with its format: `u8:1`.
  func part(_ word: LineWord) throws(Problem) -> Node {
    let colon = word.firstIndex(of: ":") ?? word.letters.count
    let name = word.part(0..<colon)
    let value = word.part(min(colon + 1, word.letters.count)..<word.letters.count)
    let entry = Node.Entry(
      key: name.text, keyPlace: name.place,
      value: node(.scalar(value.template, isPlain: false), value.place)
    )
    return node(.mapping([entry]), word.place)
  }

  /// Parses a value for a variable of an included file: `level=2`.
  mutating func binding(_ key: KeyDescription) throws(Problem) -> Node.Entry {
    let expected = "a variable of the file with its value, such as level=2"
    let word = try next(expected)
    guard let sign = word.firstIndex(of: "="), !word.part(0..<sign).isValue else {
      throw Problem(found: "'\(word.text)'", expected: expected).at(word.place)
    }
    let name = word.part(0..<sign).text
    guard VariablePath.isName(name) else {
      throw Problem(found: "'\(name)'", expected: VariablePath.shape).at(word.place)
    }
    let value = word.part(sign + 1..<word.letters.count)
    guard let text = MessageTemplate(value.template)?.constant else {
      let known = "a value that is known before the chain runs"
      throw Problem(found: "'\(value.text)'", expected: known).at(value.place)
    }
    let node = node(.scalar(text, isPlain: !value.isValue), value.place)
    return Node.Entry(key: name, keyPlace: word.place, value: node)
  }

  /// Parses the words after `until`: `5x`, `5`, `count 5`, `silence 2s`, or a comparison.
  mutating func parseStop(
    _ key: KeyDescription, _ start: LineWord, _ entries: inout LineEntries
  ) throws(Problem) {
    let expected = key.shape.line(limits)
    let word = try next(expected)
    func set(_ name: String, _ value: Node) throws(Problem) {
      if entries[key.name]?.mapping?.contains(where: { $0.key == name }) == true {
        throw Problem.duplicateOption("\(start.text) \(name)").at(start.place)
      }
      let entry = Node.Entry(key: name, keyPlace: word.place, value: value)
      entries.merge(key.name, at: start.place, node(.mapping([entry]), word.place))
    }
    if word.isPlain("silence") {
      let silence = try next(Duration.expected)
      return try set("silence", node(.scalar(silence.text, isPlain: false), silence.place))
    }
    let number = word.isPlain("count") ? try next(expected) : word
    let digits = number.text.hasSuffix("x") ? String(number.text.dropLast()) : number.text
    if let count = Int(digits), (1...max(1, limits.notifications)).contains(count) {
      return try set("count", node(.scalar(digits, isPlain: true), number.place))
    }
    // A comparison begins with a name.
    guard word.text.first?.isLetter == true, !word.isPlain("count") else {
      throw Problem(found: "'\(number.text)'", expected: expected).at(number.place)
    }
    push([word])
    entries.merge(key.name, at: start.place, try comparison())
  }
}

extension [[LineWord]] {
  /// The files that the steps include, in blocks too.
  var includedNames: [String] {
    flatMap { words -> [String] in
      let inner = words.flatMap { $0.block?.includedNames ?? [] }
      guard words.count > 1, words[0].isPlain(IncludeEntry.verb) else { return inner }
      return [words[1].text] + inner
    }
  }

  /// The names under which steps capture values, in blocks too.
  var capturedNames: [String] {
    flatMap { words -> [String] in
      let own = zip(words, words.dropFirst()).filter { $0.0.isPlain("as") }.map(\.1.text)
      return own + words.flatMap { $0.block?.capturedNames ?? [] }
    }
  }
}
