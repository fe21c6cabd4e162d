// Explains invalid YAML to its author.
//
// libyaml reports where it stopped and what its grammar expected. This reports what to change in
// the text.

/// Turns errors of libyaml into problems that name the mistake in the text.
struct InvalidYAML {
  /// A line and a column of the text, from 0.
  private typealias Mark = (line: Int, column: Int)

  private let file: String
  private let text: String
  private let lines: [[Character]]

  init(_ text: String, file: String) {
    self.text = text
    self.file = file
    lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(
      Array.init
    )
  }

  /// The problem with its position and the text of its line.
  ///
  /// - Parameters:
  ///   - problem: The message of libyaml.
  ///   - place: The position at which libyaml stopped.
  ///   - context: The start of the construct that the message is about.
  func problem(_ problem: String, at place: Place, since context: Place?) -> Problem {
    let fromZero = { (place: Place) in (max(0, place.line - 1), max(0, place.column - 1)) }
    return found(problem, at: fromZero(place), since: context.map(fromZero))
  }

  // MARK: Messages

  private func found(_ problem: String, at mark: Mark, since context: Mark?) -> Problem {
    let word = word(at: mark)
    switch problem {
    case _ where problem.contains("tab character") || character(at: mark) == "\t":
      return report(mark, "a tab in the indentation", expected: "spaces")
    case "but found another document":
      return report(mark, "a second document begins here; a file holds one document")
    case "did not find expected <document start>":
      return report(mark, "text after the end of the document; a file holds one document")
    case "did not find expected '-' indicator":
      return unexpected(mark, isInList: true)
    case "did not find expected key":
      return unexpected(mark, isInList: false)
    case "mapping values are not allowed in this context": return colon(mark)
    case "block sequence entries are not allowed in this context":
      return report(
        mark, "a list begins on the line of its key", expected: "'- ' on a line of its own")
    case "could not find expected ':'":
      let start = context ?? mark
      return report(start, "no ':' follows '\(self.word(at: start))'", expected: "key: value")
    case "found character that cannot start any token":
      return report(mark, "a value begins with '\(word.prefix(1))'", expected: "quotes around it")
    case "found undefined alias":
      return report(
        mark,
        "unknown alias '\(word)'",
        expected: "'&\(word.dropFirst())' before it, or quotes around text that begins with '*'"
      )
    case "did not find expected alphabetic or numeric character",
      "did not find expected comment or line break":
      let start = context ?? mark
      let sign = character(at: start).map(String.init) ?? "*"
      return report(start, "a value begins with '\(sign)'", expected: "quotes around it")
    case "found unknown escape character":
      return report(mark, "unknown escape in double quotes", expected: "'\\\\', or single quotes")
    case "did not find expected hexdecimal number", "found invalid Unicode character escape code":
      return escape((mark.line, max(0, mark.column - 2)))
    case _ where problem.hasPrefix("Maximum nesting level"):
      return report(mark, "lists and mappings are nested too deeply")
    case "found unexpected end of stream", "found unexpected document indicator":
      return report(context ?? mark, "the quote that begins here is not closed")
    case "did not find expected ',' or ']'", "did not find expected ',' or '}'":
      let close = problem.contains("]") ? "]" : "}"
      guard let context, isAtEnd(mark) else {
        return report(mark, "expected ',' or '\(close)', found '\(word)'")
      }
      return report(
        context, "the \(close == "]" ? "list" : "mapping") that begins here is not closed",
        expected: "'\(close)'")
    case "did not find expected node content":
      guard isAtEnd(mark) else { return report(mark, "expected a value, found '\(word)'") }
      return report(lastMark, "the text ends inside a '[' or '{'")
    default: return report(mark, problem)
    }
  }

  /// The problem of a text in place of the next key or the next item.
  private func unexpected(_ mark: Mark, isInList: Bool) -> Problem {
    let own = Indentation(line(mark.line))
    guard own.first == mark.column else {
      return report(mark, "expected the end of the line, found '\(word(at: mark))'")
    }
    if let message = indentation(of: mark.line) { return report(mark, message) }
    if isInList, !own.isItem {
      return report(mark, "a key among the items of a list", expected: "'- '")
    }
    if own.isItem { return report(mark, "a list item among keys", expected: "key: value") }
    return report(mark, "expected a key, found '\(word(at: mark))'")
  }

  /// The problem of a second ':' in a line, or of one in a continuation of the previous value.
  private func colon(_ mark: Mark) -> Problem {
    let before = line(mark.line).prefix(mark.column)
    if String(before).contains(": ") {
      return report(mark, "': ' inside a value", expected: "quotes around the value")
    }
    let start = (mark.line, Indentation(line(mark.line)).first)
    if let message = indentation(of: mark.line) { return report(start, message) }
    guard let last = linesBefore(mark.line).first else {
      return report(mark, "a ':' where no key is allowed")
    }
    return report(start, "a key follows the value on line \(last.number + 1)")
  }

  /// The problem of an invalid escape in double quotes: `\xg1`, `\ud83d`, `\U00110000`.
  private func escape(_ mark: Mark) -> Problem {
    let letter = line(mark.line).dropFirst(mark.column + 1).first ?? "u"
    let length = ["x": 2, "U": 8][letter] ?? 4
    let digits = line(mark.line).dropFirst(mark.column + 2).prefix(length)
    guard let code = UInt32(String(digits), radix: 16), digits.count == length else {
      return report(
        mark,
        "incomplete escape",
        expected: "'\\\(letter)' and \(length) digits from 0 to f"
      )
    }
    guard (0xd800..<0xe000).contains(code) else {
      return report(mark, "the escape is no Unicode character", expected: "10ffff at most")
    }
    return report(
      mark,
      "half of a surrogate pair",
      expected: "both halves, such as '\\ud83d\\ude00', or the character itself"
    )
  }

  private func report(
    _ mark: Mark,
    _ message: String,
    expected: String? = nil
  ) -> Problem {
    Problem(
      "invalid YAML: \(message)",
      expected: expected,
      at: Place(file: file, line: mark.line + 1, column: mark.column + 1),
      line: isSecret(mark.line) ? nil : String(line(mark.line))
    )
  }

  /// Whether a line may contain a passkey or a key of a device.
  private func isSecret(_ number: Int) -> Bool {
    let near = [line(number - 1), line(number)]
    return near.contains { String($0).contains("passkey") }
      || lines.prefix(number + 1).contains { String($0).contains(/keys["']?\s*:/) }
  }

  // MARK: Lines

  /// The columns at which a line and its content begin: in `  - read: x`, 2 and 4.
  private struct Indentation {
    let first: Int
    let content: Int
    let isItem: Bool

    init(_ line: [Character]) {
      var column = line.prefix { $0 == " " }.count
      first = column
      while column + 1 < line.count, line[column] == "-", line[column + 1] == " " {
        column += 1
        column += line[column...].prefix { $0 == " " }.count
      }
      content = column
      isItem = content > first || line[first...].elementsEqual("-")
    }
  }

  /// The message for a wrongly indented line; nil if the indentation matches another line.
  ///
  /// A line that is indented less than its block is compared with the nearest line of the block.
  private func indentation(of number: Int) -> String? {
    let own = Indentation(line(number))
    let before = linesBefore(number)
    guard let last = before.first else { return nil }
    var nearest: (number: Int, content: Int, first: Int)?
    for (earlier, line) in before {
      let level = Indentation(line)
      let column = own.isItem ? level.first : level.content
      if column > own.first, column < nearest?.content ?? .max {
        nearest = (earlier, column, level.first)
      }
      if level.first <= own.first { break }
    }
    if let nearest {
      if nearest.first > own.first {
        return "this line is indented less than line \(nearest.number + 1)"
      }
      return "this line is indented less than the text after '-' on line \(nearest.number + 1)"
    }
    let column = own.isItem ? Indentation(last.line).first : Indentation(last.line).content
    guard own.first > column else { return nil }
    return "this line is indented more than line \(last.number + 1)"
  }

  /// The lines before `number` with content other than a comment, last first.
  private func linesBefore(_ number: Int) -> [(number: Int, line: [Character])] {
    lines.prefix(number).enumerated().reversed().compactMap { index, line in
      let first = line.first { $0 != " " }
      return first == nil || first == "#" ? nil : (index, line)
    }
  }

  private func line(_ number: Int) -> [Character] {
    lines.indices.contains(number) ? lines[number] : []
  }

  private func character(at mark: Mark) -> Character? {
    line(mark.line).dropFirst(mark.column).first
  }

  /// The text from a position to the next space, shortened; an ellipsis if the line may contain a
  /// secret.
  private func word(at mark: Mark) -> String {
    if isSecret(mark.line) { return "\u{2026}" }
    let rest = line(mark.line).dropFirst(mark.column)
    return String(rest.prefix { $0 != " " && $0 != "," }.prefix(30))
  }

  private func isAtEnd(_ mark: Mark) -> Bool {
    line(mark.line).dropFirst(mark.column).allSatisfy(\.isWhitespace)
      && lines.dropFirst(mark.line + 1).allSatisfy { $0.allSatisfy(\.isWhitespace) }
  }

  private var lastMark: Mark {
    guard let last = linesBefore(lines.count).first else { return (0, 0) }
    return (last.number, max(0, last.line.count - 1))
  }
}
