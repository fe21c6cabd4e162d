// Surrogate pairs, as JSON in ASCII writes characters beyond the first plane: `\ud83d\ude00`.
//
// The parser of YAML rejects each half of a pair. So the backslashes of pairs are replaced by a mark
// before parsing, which keeps every place, and the text of each value is restored after it: in double
// quotes a marked pair is one character, anywhere else it is what was written.

/// A text for the parser of YAML, in which surrogate pairs are marked.
struct SurrogatePairs {
  /// A noncharacter, which no text for interchange contains.
  private static let mark = String(decoding: [UInt16(0xfdd0)], as: UTF16.self)

  /// The text with marks.
  let text: String
  private let hasMarks: Bool

  init(_ text: String) {
    hasMarks =
      text.utf8.contains(UInt8(ascii: "\\")) && !text.unicodeScalars.contains(where: Self.isMark)
    guard hasMarks else {
      self.text = text
      return
    }
    // A backslash behind a backslash begins no escape.
    let escape = /\\(?:(u[dD][89abAB][0-9a-fA-F]{2})\\(u[dD][c-fC-F][0-9a-fA-F]{2})|(?s:.))/
      .matchingSemantics(.unicodeScalar)
    self.text = text.replacing(escape) { match in
      guard let high = match.1, let low = match.2 else { return String(match.0) }
      return Self.mark + high + Self.mark + low
    }
  }

  /// The text of a parsed value without marks.
  func restored(_ value: String, isDoubleQuoted: Bool) -> String {
    guard hasMarks, value.unicodeScalars.contains(where: Self.isMark) else { return value }
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
