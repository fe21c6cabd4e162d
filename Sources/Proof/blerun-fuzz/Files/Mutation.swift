// Damages a text of the corpus.
//
// Pure: takes bytes and a generator, returns bytes. Of YAML it only knows words, lines and
// indentation.

import Signals

enum Mutation: CaseIterable {
  case swapWords, misspell, otherWord, extreme, kind, nest, anchor, bomb
  case removeLine, repeatLine, moveLine, indent, sign, octet, cut, splice

  /// Values at and beyond the limits.
  private static let extremes: [[UInt8]] = [
    "0", "-0", "-1", "1", "0x", "255", "256", "65535", "65536", "2147483648", "4294967296",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615",
    "18446744073709551616", "1e308", "1e309", "-1e308", "5e-324", ".nan", ".inf", "-.inf", "nan",
    "inf", "0.1", "1e18", "1e19", "99999999999999999999999999s", "0s", "-1s", "1ns", "0.0001ms",
    "9223372036854775807s", "1e300s", "292277026596y", "100000h", "true", "null", "~", "\"\"", "''",
    "\"\\0\"", "\"\\U0010FFFF\"", "é", "🦷", "{ hex: \"\" }", "{ hex: \"0\" }", "{ u8: 256 }",
    "{ utf8: \"\\xff\" }", "00:00:00:00:00:00", "FF:FF:FF:FF:FF:FF",
    "00000000-0000-0000-0000-000000000000", "$", "$written", "$x / 0", "$x << 64", "$x % 0",
    "-9223372036854775808 / -1", "<a:u8><a:u8>", "<a:*>", "*", "**", "<", "2000-01-01T00:00:00Z",
    "/dev/zero", "/", "../../../etc/passwd", "!!binary x", "!!int x", "? x", "- x", "| x", "> x",
  ].map { Array($0.utf8) }

  /// Replacements of a scalar: other kinds of values, and invalid ones.
  private static let kinds: [[UInt8]] = [
    "[]", "{}", "[[]]", "[{}]", "{ a: 1 }", "[1, 2, 3]", "{ a: { b: [c] } }", "? [a]\n: b",
    "{ [a]: b }", "{ {}: 1 }", "!!map {}", "!!set { a, b }", "|\n  text\n", "&a [*a]", "",
  ].map { Array($0.utf8) }

  private static let signs: [[UInt8]] = [
    ":", ": ", "-", "- ", "[", "]", "{", "}", ",", "#", "&", "*", "!", "|", ">", "'", "\"", "%",
    "@", "`", "\n", "\t", "\r", "\n---\n", "\n...\n", "\u{FEFF}", "\u{2028}", "\u{85}", "\0",
  ].map { Array($0.utf8) }

  /// Returns a text of the corpus with one or more kinds of damage.
  static func damaged(
    _ text: [UInt8], with corpus: Corpus, _ generator: inout SeededGenerator
  ) -> [UInt8] {
    var text = text
    for _ in 0..<generator.pick([1, 1, 1, 2, 2, 3, 5, 12]) {
      generator.pick(allCases).apply(to: &text, corpus, &generator)
    }
    return text
  }

  private func apply(to text: inout [UInt8], _ corpus: Corpus, _ generator: inout SeededGenerator) {
    switch self {
    case .swapWords, .misspell, .otherWord, .extreme, .kind, .nest, .anchor, .bomb:
      changeWord(of: &text, corpus, &generator)
    case .removeLine, .repeatLine, .moveLine, .indent: changeLine(of: &text, &generator)
    case .sign: text.insert(contentsOf: generator.pick(Self.signs), at: generator.place(in: text))
    case .octet:
      guard !text.isEmpty else { return }
      let place = generator.index(text.count)
      let octet = UInt8.random(in: 0...255, using: &generator)
      switch generator.index(3) {
      case 0: text[place] = octet
      case 1: text.insert(octet, at: place)
      default: text.remove(at: place)
      }
    case .cut: text.removeSubrange(generator.place(in: text)...)
    case .splice:
      let other = generator.pick(corpus.files).octets
      let from = generator.place(in: other)
      let length = min(other.count - from, generator.pick([20, 100, 1_000]))
      text.insert(contentsOf: other[from..<from + length], at: generator.place(in: text))
    }
  }

  private func changeWord(
    of text: inout [UInt8], _ corpus: Corpus, _ generator: inout SeededGenerator
  ) {
    let words = Words.ranges(in: text)
    guard !words.isEmpty else { return }
    let range = generator.pick(words)
    let word = Array(text[range])
    switch self {
    case .swapWords:
      let other = generator.pick(words)
      let (first, second) = range.lowerBound < other.lowerBound ? (range, other) : (other, range)
      let (left, right) = (Array(text[first]), Array(text[second]))
      text.replaceSubrange(second, with: left)
      if first != second { text.replaceSubrange(first, with: right) }
    case .misspell:
      let place = generator.index(word.count)
      text[range.lowerBound + place] = text[range.lowerBound + generator.index(word.count)]
    case .otherWord: text.replaceSubrange(range, with: generator.pick(corpus.words))
    case .extreme: text.replaceSubrange(range, with: generator.pick(Self.extremes))
    case .kind: text.replaceSubrange(range, with: generator.pick(Self.kinds))
    case .nest:
      let depth = generator.pick([2, 31, 33, 200, 3_000])
      let signs = generator.pick([("[", "]"), ("{ a: ", " }"), ("(", ")"), ("- ", "")])
      let before = Array(String(repeating: signs.0, count: depth).utf8)
      let after = Array(String(repeating: signs.1, count: depth).utf8)
      text.replaceSubrange(range, with: before + word + after)
    case .anchor:
      let other = generator.pick(words)
      guard other.lowerBound > range.lowerBound else { return }
      text.replaceSubrange(other, with: Array("*x".utf8))
      text.insert(contentsOf: Array("&x ".utf8), at: range.lowerBound)
    case .bomb:
      // Each list repeats the previous one several times.
      var bomb = "[&b0 [x, x, x]"
      for level in 1...generator.pick([2, 5, 7, 24]) {
        bomb += ", &b\(level) [*b\(level - 1), *b\(level - 1), *b\(level - 1)]"
      }
      text.replaceSubrange(range, with: Array((bomb + "]").utf8))
    case .removeLine, .repeatLine, .moveLine, .indent, .sign, .octet, .cut, .splice: break
    }
  }

  private func changeLine(of text: inout [UInt8], _ generator: inout SeededGenerator) {
    let lineEnd = UInt8(ascii: "\n")
    var lines = text.split(separator: lineEnd, omittingEmptySubsequences: false)
    let index = generator.index(lines.count)
    switch self {
    case .removeLine: lines.remove(at: index)
    case .repeatLine:
      let times = generator.pick([1, 1, 1, 2, 50])
      lines.insert(contentsOf: Array(repeating: lines[index], count: times), at: index)
    case .moveLine:
      let line = lines.remove(at: index)
      lines.insert(line, at: generator.index(lines.count + 1))
    case .indent:
      let space = UInt8(ascii: " ")
      if generator.hits(1, in: 2) {
        lines[index] = lines[index].drop { $0 == space }
      } else {
        let by = [UInt8](repeating: space, count: generator.pick([1, 2, 4]))
        lines[index] = by + lines[index]
      }
    case .swapWords, .misspell, .otherWord, .extreme, .kind, .nest, .anchor, .bomb, .sign, .octet,
      .cut, .splice:
      break
    }
    text = Array(lines.joined(separator: [lineEnd]))
  }
}

extension SeededGenerator {
  /// Draws an index below `count`, which must not be 0.
  mutating func index(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

  /// Draws an insertion point in `text`.
  mutating func place(in text: [UInt8]) -> Int { index(text.count + 1) }
}
