// Words of the one-line form, and how a line is split into them.

import Documents

/// A word with its quotes taken off. It is known of each letter where it stood and whether it was in
/// quotes, because what is in quotes separates nothing.
struct LineWord {
  struct Letter {
    let character: Character
    let isQuoted: Bool
    /// Whether it came in the place of a variable, or was a brace written twice: it separates
    /// nothing, and begins no variable.
    var isFilled = false
    let place: Place
  }

  /// Where it begins, its quotes included.
  let place: Place
  var letters: [Letter]
  /// Whether a part of it was in quotes.
  var isQuoted: Bool
  /// The words of each step in it, where it is braces with steps in them.
  var block: [[LineWord]]?

  var text: String { String(letters.map(\.character)) }

  /// The text as a template: a brace that begins no variable is there twice.
  var template: String {
    letters.map { $0.isFilled && $0.character == "{" ? "{{" : String($0.character) }.joined()
  }

  /// Whether it cannot be a word of the language: it was in quotes, or is a variable's value.
  var isValue: Bool { isQuoted || letters.contains(where: \.isFilled) }

  /// Whether it is `word` of the language.
  func isPlain(_ word: String) -> Bool { !isValue && text == word }

  /// The position of the first letter out of quotes that is one of `separators`.
  func firstIndex(of separators: String) -> Int? {
    letters.firstIndex {
      !$0.isQuoted && !$0.isFilled && separators.contains($0.character)
    }
  }

  /// The letters in `range` as a word of their own.
  func part(_ range: Range<Int>) -> LineWord {
    let place =
      range.isEmpty || range.lowerBound == 0 ? self.place : letters[range.lowerBound].place
    let letters = Array(letters[range])
    return LineWord(place: place, letters: letters, isQuoted: letters.contains(where: \.isQuoted))
  }

  /// The words between commas that are not in quotes.
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

/// Splits a line at blanks, and into steps at `;` and line ends.
struct LineWords {
  private let file: String
  private var line = 1
  private var column = 0
  private var word: LineWord?
  private var steps: [[LineWord]] = [[]]
  /// The blocks that are open: what stood before each, and where it begins.
  private var open: [(steps: [[LineWord]], place: Place)] = []
  /// Where one block too many began in others.
  private var tooDeep: Place?

  /// How many blocks may lie in one another here; a chain's limit is less.
  private static let deepest = 64

  private init(file: String) {
    self.file = file
  }

  /// The words of each step; steps without words are left out.
  ///
  /// - Throws: A complaint about a quote that is not closed.
  static func steps(of text: String, file: String) throws(DocumentErrors) -> [[LineWord]] {
    var words = LineWords(file: file)
    var quote: (mark: Character, place: Place)?
    var isEscaped = false
    for character in text {
      let place = words.advance(over: character)
      if isEscaped {
        isEscaped = false
        words.take(character, place, isQuoted: true)
      } else if character == "\\", quote?.mark != "'" {
        words.open(at: place)
        isEscaped = true
      } else if let mark = quote?.mark {
        if character == mark { quote = nil } else { words.take(character, place, isQuoted: true) }
      } else if character == "\"" || character == "'" {
        words.open(at: place)
        words.word?.isQuoted = true
        quote = (character, place)
      } else {
        words.takePlain(character, place)
      }
    }
    if let quote {
      let complaint = Complaint("the quote is not closed", expected: "\(quote.mark) at the end")
      throw DocumentErrors([complaint.at(quote.place)])
    }
    if isEscaped, let place = words.word?.place {
      throw DocumentErrors([Complaint("nothing follows the \\ at the end").at(place)])
    }
    words.endStep()
    if let place = words.tooDeep {
      throw DocumentErrors([Complaint("blocks are nested too deep").at(place)])
    }
    if let block = words.open.last {
      let complaint = Complaint("the block is not closed", expected: "} after a space")
      throw DocumentErrors([complaint.at(block.place)])
    }
    return words.steps.filter { !$0.isEmpty }
  }

  /// Counts a character, and says where it stands.
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

  private mutating func takePlain(_ character: Character, _ place: Place) {
    if character == ";" || character.isNewline {
      endStep()
    } else if character.isWhitespace {
      endWord()
    } else {
      take(character, place, isQuoted: false)
    }
  }

  private mutating func open(at place: Place) {
    if word == nil { word = LineWord(place: place, letters: [], isQuoted: false) }
  }

  private mutating func take(_ character: Character, _ place: Place, isQuoted: Bool) {
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
