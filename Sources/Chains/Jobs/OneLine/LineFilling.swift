// Substitutes variables in the words of the one-line form.

import Documents

/// A substitution of `{name}` with its value. A value stays within its word, even if it contains
/// spaces or `;`.
struct LineFilling {
  private let bindings: Bindings
  private var used: Set<String> = []

  init(_ bindings: Bindings) { self.bindings = bindings }

  /// Substitutes the variables of a word. Unknown names are kept: an earlier step may capture them.
  mutating func filled(_ word: LineWord) -> LineWord {
    var new = word
    if let block = word.block {
      new.block = block.map { $0.map { filled($0) } }
      return new
    }
    guard word.letters.contains(where: { $0.character == "{" }) else { return word }
    new.letters = []
    var rest = word.letters[...]
    while let letter = rest.popFirst() {
      guard letter.character == "{" else {
        new.letters.append(letter)
        continue
      }
      if rest.first?.character == "{" {
        rest.removeFirst()
        new.letters.append(Self.letter("{", letter))
        continue
      }
      guard let close = rest.firstIndex(where: { $0.character == "}" }),
        let binding = bindings[String(rest[..<close].map(\.character))]
      else {
        new.letters.append(letter)
        continue
      }
      used.insert(binding.name)
      rest = rest[rest.index(after: close)...]
      new.letters += binding.text.map { Self.letter($0, letter) }
    }
    return new
  }

  /// The errors for values of variables that the line does not use.
  ///
  /// - Parameter isIncluded: Whether an included file uses a variable.
  func unknown(at start: Place, _ isIncluded: (String) -> Bool) -> [Problem] {
    bindings.all.filter {
      $0.mustBeKnown && !used.contains($0.name) && !isIncluded($0.name)
    }.map { binding in
      let message = "unknown variable '\(binding.name)', given by \(binding.origin)"
      return Problem(message, expected: "{\(binding.name)} in a step").at(start)
    }
  }

  private static func letter(_ character: Character, _ old: LineWord.Letter) -> LineWord.Letter {
    .init(character: character, isQuoted: old.isQuoted, isFilled: true, place: old.place)
  }
}
