// The words of the one-line form, their quotes, and the parser that splits lines into them.

import Documents

/// A word without its quotes. Each letter keeps its place, and whether it was quoted: quoted
/// letters never separate words.
struct LineWord {
  struct Letter {
    let character: Character
    let isQuoted: Bool
    /// Whether the letter comes from a variable's value or a doubled brace; it then does not
    /// separate words or begin a variable.
    var isFilled = false
    let place: Place
  }

  /// The place of the first letter or quote.
  let place: Place
  var letters: [Letter]
  /// Whether any part was quoted.
  var isQuoted: Bool
  /// The words of each step, if the word is a block of steps in braces.
  var block: [[LineWord]]?

  var text: String { String(letters.map(\.character)) }

  /// The text as a template, in which a literal brace is doubled.
  var template: String {
    letters.map { $0.isFilled && $0.character == "{" ? "{{" : String($0.character) }.joined()
  }

  /// Whether the word cannot be a keyword, because it was quoted or contains a variable's value.
  var isValue: Bool { isQuoted || letters.contains(where: \.isFilled) }

  /// Whether the word is the keyword `word`.
  func isPlain(_ word: String) -> Bool { !isValue && text == word }

  /// The index of the first letter outside quotes that is one of `separators`.
  func firstIndex(of separators: String) -> Int? {
    letters.firstIndex {
      !$0.isQuoted && !$0.isFilled && separators.contains($0.character)
    }
  }

  /// The letters in `range` as a separate word.
  func part(_ range: Range<Int>) -> LineWord {
    let place =
      range.isEmpty || range.lowerBound == 0 ? self.place : letters[range.lowerBound].place
    let letters = Array(letters[range])
    return LineWord(place: place, letters: letters, isQuoted: letters.contains(where: \.isQuoted))
  }

  /// Splits the word at commas outside quotes.
  func splitAtCommas() -> [LineWord] {
    var words: [LineWord] = []
    var start = 0
    while let index = letters[start...].firstIndex(where: {
      $0.character == "," && !$0.isQuoted && !$0.isFilled
    }) {
      words.append(part(start..<index))
      start = index + 1
    }
    return words + [part(start..<letters.count)]
  }
}

/// A parser that splits a line into steps at `;` and newlines, and into words at spaces.
struct LineWords {
  private let file: String
  private var line = 1
  private var column = 0
  private var word: LineWord?
  private var steps: [[LineWord]] = [[]]
  /// The open blocks: the steps before each, and its place.
  private var open: [(steps: [[LineWord]], place: Place)] = []
  /// The place of the first block that is nested too deep.
  private var tooDeep: Place?

  /// The maximum nesting depth of blocks in the parser; the limit of a chain is lower.
  private static let deepest = 64

  private init(file: String) {
    self.file = file
  }

  /// Splits a text into the words of each step, without empty steps.
  ///
  /// - Throws: `DocumentErrors` for unclosed quotes and blocks.
  static func steps(of text: String, file: String) throws(DocumentErrors) -> [[LineWord]] {
    var words = LineWords(file: file)
    var quote: (mark: Character, place: Place)?
    var isEscaped = false
    for character in text.singleScalars {
      let place = words.advance(over: character)
      if isEscaped {
        isEscaped = false
        words.append(character, place, isQuoted: true)
      } else if character == "\\", quote?.mark != "'" {
        words.open(at: place)
        isEscaped = true
      } else if let mark = quote?.mark {
        if character == mark { quote = nil } else { words.append(character, place, isQuoted: true) }
      } else if character == "\"" || character == "'" {
        words.open(at: place)
        words.word?.isQuoted = true
        quote = (character, place)
      } else {
        words.appendPlain(character, place)
      }
    }
    if let quote {
      let problem = Problem("the quote is not closed", expected: "\(quote.mark) at the end")
      throw DocumentErrors([problem.at(quote.place)])
    }
    if isEscaped, let place = words.word?.place {
      throw DocumentErrors([Problem("nothing follows the \\ at the end").at(place)])
    }
    words.endStep()
    if let place = words.tooDeep {
      throw DocumentErrors([Problem("blocks are nested too deep").at(place)])
    }
    if let block = words.open.last {
      let problem = Problem("the block is not closed", expected: "} after a space")
      throw DocumentErrors([problem.at(block.place)])
    }
    return words.steps.filter { !$0.isEmpty }
  }

  /// Counts a character, and returns its place.
  private mutating func advance(over character: Character) -> Place {
    column += 1
    defer {
      if character.isNewline {
        line += 1
        column = 0
      }
    }
    return Place(file: file, line: line, column: column)
  }

  private mutating func appendPlain(_ character: Character, _ place: Place) {
    if character == ";" || character.isNewline {
      endStep()
    } else if character.isWhitespace {
      endWord()
    } else {
      append(character, place, isQuoted: false)
    }
  }

  private mutating func open(at place: Place) {
    if word == nil { word = LineWord(place: place, letters: [], isQuoted: false) }
  }

  private mutating func append(_ character: Character, _ place: Place, isQuoted: Bool) {
    open(at: place)
    word?.letters.append(.init(character: character, isQuoted: isQuoted, place: place))
  }

  private mutating func endWord() {
    guard let word else { return }
    self.word = nil
    if word.isPlain("{") {
      if open.count == Self.deepest { tooDeep = tooDeep ?? word.place }
      guard tooDeep == nil else { return }
      open.append((steps, word.place))
      steps = [[]]
    } else if word.isPlain("}"), let outer = open.popLast() {
      var block = LineWord(place: outer.place, letters: [], isQuoted: true)
      block.letters = "{ … }".map { .init(character: $0, isQuoted: true, place: outer.place) }
      block.block = steps.filter { !$0.isEmpty }
      steps = outer.steps
      steps[steps.count - 1].append(block)
    } else {
      steps[steps.count - 1].append(word)
    }
  }

  private mutating func endStep() {
    endWord()
    steps.append([])
  }
}

/// Quotes for words of the one-line form.
package enum Quoting {
  /// Quotes `text` if it is empty or contains a space, quote, `;` or `\`.
  package static func quoted(_ text: String) -> String {
    let isSpecial = text.singleScalars.contains { character in
      character.isWhitespace || ";\"'\\".contains(character)
    }
    return isSpecial || text.isEmpty ? always(text) : text
  }

  /// Puts `text` in double quotes.
  static func always(_ text: String) -> String {
    let escaped = text.unicodeScalars.reduce(into: "") { escaped, scalar in
      if scalar == "\"" || scalar == "\\" { escaped += "\\" }
      escaped.unicodeScalars.append(scalar)
    }
    return "\"" + escaped + "\""
  }
}
