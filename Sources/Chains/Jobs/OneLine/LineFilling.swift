// Substitutes variables in the words of the one-line form.

import Bluetooth
import Documents

/// A substitution of `{name}` with its value. A value stays within its word, even if it contains
/// spaces or `;`.
struct LineFilling {
  private let bindings: Bindings
  private var used: Set<String> = []
  private var problems: [Problem] = []

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
      guard let close = rest.firstIndex(where: { $0.character == "}" }) else {
        new.letters.append(letter)
        continue
      }
      let text = String(rest[..<close].map(\.character))
      if let binding = bindings[text] {
        used.insert(binding.name)
        new.letters += binding.text.map { Self.letter($0, letter) }
      } else if let calculation = try? Calculation(parsing: text),
        calculation.expression.names.contains(where: { bindings[$0.text] != nil })
      {
        new.letters += letters(of: calculation, letter)
      } else {
        new.letters.append(letter)
        continue
      }
      rest = rest[rest.index(after: close)...]
    }
    return new
  }

  /// The result of a calculation; in braces, where captured values are in it.
  private mutating func letters(
    of calculation: Calculation, _ start: LineWord.Letter
  ) -> [LineWord.Letter] {
    do throws(Problem) {
      let filled = try calculation.replacing { name in
        bindings[name].map { VariableTable.value($0.text, nil) }
      }
      used.formUnion(calculation.expression.names.map(\.text).filter { bindings[$0] != nil })
      if let result = try filled.constant { return result.map { Self.letter($0, start) } }
      return "{\(filled)}".map {
        LineWord.Letter(character: $0, isQuoted: start.isQuoted, place: start.place)
      }
    } catch {
      problems.append(error.at(start.place))
      return []
    }
  }

  /// The errors for values of variables that the line does not use.
  ///
  /// - Parameter isIncluded: Whether an included file uses a variable.
  func unknown(at start: Place, _ isIncluded: (String) -> Bool) -> [Problem] {
    problems
      + bindings.all.filter {
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
