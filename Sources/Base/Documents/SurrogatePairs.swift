// Surrogate pairs, with which JSON escapes characters beyond the first plane: `\ud83d\ude00`.
//
// libyaml rejects each half of a pair. So the backslashes of pairs are replaced by a mark before
// parsing, which keeps all positions, and restored in the parsed values: in double quotes a marked
// pair becomes one character, elsewhere the original text.

/// A text for libyaml, in which surrogate pairs are marked.
struct SurrogatePairs {
  private static let backslash = UInt8(ascii: "\\")
  /// A noncharacter, which no text for interchange contains.
  private static let mark = String(decoding: [UInt16(0xfdd0)], as: UTF16.self)

  /// The text with marks.
  let text: String
  /// Whether the text is marked. It is not if the document itself contains the mark.
  private let mayHaveMarks: Bool

  init(_ text: String) {
    mayHaveMarks =
      text.utf8.contains(Self.backslash) && !text.unicodeScalars.contains(where: Self.isMark)
    self.text = mayHaveMarks ? Self.marked(Array(text.utf8)) : text
  }

  /// The text with a mark for each backslash of a pair.
  private static func marked(_ text: [UInt8]) -> String {
    var marked: [UInt8] = []
    var index = 0
    while index < text.count {
      let rest = text[index...]
      let (high, low) = (rest.prefix(6), rest.dropFirst(6).prefix(6))
      if isHalf(high, UTF16.isLeadSurrogate), isHalf(low, UTF16.isTrailSurrogate) {
        for half in [high, low] { marked += Array(mark.utf8) + half.dropFirst() }
        index += 12
      } else {
        // An escaped backslash does not begin another escape.
        let escape = rest.prefix(text[index] == backslash ? 2 : 1)
        marked += escape
        index += escape.count
      }
    }
    return String(decoding: marked, as: UTF8.self)
  }

  /// Whether `\u` and four digits are half of a pair.
  private static func isHalf(_ escape: ArraySlice<UInt8>, _ isSurrogate: (UInt16) -> Bool) -> Bool {
    guard escape.first == backslash, escape.dropFirst().first == UInt8(ascii: "u") else {
      return false
    }
    let digits = String(decoding: escape.dropFirst(2), as: UTF8.self)
    return UInt16(digits, radix: 16).map(isSurrogate) ?? false
  }

  /// The text of a parsed value without marks.
  func restored(_ value: String, isDoubleQuoted: Bool) -> String {
    guard mayHaveMarks, value.unicodeScalars.contains(where: Self.isMark) else { return value }
    guard isDoubleQuoted else {
      return value.replacing(/\x{fdd0}/.matchingSemantics(.unicodeScalar), with: "\\")
    }
    let pair = /\x{fdd0}u(.{4})\x{fdd0}u(.{4})/.matchingSemantics(.unicodeScalar)
    return value.replacing(pair) { match in
      let halves = [match.1, match.2].compactMap { UInt16($0, radix: 16) }
      return String(decoding: halves, as: UTF16.self)
    }
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool { scalar.value == 0xfdd0 }
}
