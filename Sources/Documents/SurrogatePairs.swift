// Surrogate pairs, as JSON in ASCII writes characters beyond the first plane: `\ud83d\ude00`.
//
// The parser of YAML rejects each half of a pair. So the backslashes of pairs are replaced by a mark
// before parsing, which keeps every place, and the text of each value is restored after it: in double
// quotes a marked pair is one character, anywhere else it is what was written.

/// A text for the parser of YAML, in which surrogate pairs are marked.
struct SurrogatePairs {
  /// A noncharacter, which no text for interchange contains.
  private static let mark: UInt16 = 0xfdd0
  private static let backslash = UInt16(UInt8(ascii: "\\"))

  /// The text with marks.
  let text: String
  private let hasMarks: Bool

  init(_ text: String) {
    guard let marked = Self.marked(Array(text.utf16)) else {
      self.text = text
      hasMarks = false
      return
    }
    self.text = String(decoding: marked, as: UTF16.self)
    hasMarks = true
  }

  /// The text of a parsed value without marks.
  func restored(_ value: String, isDoubleQuoted: Bool) -> String {
    guard hasMarks else { return value }
    var units: [UInt16] = []
    var rest = value.utf16[...]
    while let unit = rest.popFirst() {
      if unit != Self.mark {
        units.append(unit)
      } else if !isDoubleQuoted {
        units.append(Self.backslash)
      } else if let half = Self.half(rest.prefix(5)) {
        units.append(half)
        rest = rest.dropFirst(5)
      } else {
        units.append(unit)
      }
    }
    return String(decoding: units, as: UTF16.self)
  }

  /// The text with a mark for each backslash of a pair; nil without a pair.
  private static func marked(_ units: [UInt16]) -> [UInt16]? {
    guard units.contains(backslash), !units.contains(mark) else { return nil }
    var marked = units
    var index = 0
    var count = 0
    while index < units.count {
      guard units[index] == backslash else {
        index += 1
        continue
      }
      if let high = half(units[(index + 1)...].prefix(5)), UTF16.isLeadSurrogate(high),
        units[(index + 6)...].first == backslash,
        let low = half(units[(index + 7)...].prefix(5)), UTF16.isTrailSurrogate(low)
      {
        marked[index] = mark
        marked[index + 6] = mark
        count += 1
        index += 12
      } else {
        // A backslash behind a backslash begins no escape.
        index += 2
      }
    }
    return count > 0 ? marked : nil
  }

  /// The surrogate that `u` and four hexadecimal digits are.
  private static func half(_ escape: some Collection<UInt16>) -> UInt16? {
    guard escape.count == 5, escape.first == UInt16(UInt8(ascii: "u")),
      let unit = UInt16(String(decoding: escape.dropFirst(), as: UTF16.self), radix: 16)
    else { return nil }
    return UTF16.isSurrogate(unit) ? unit : nil
  }
}
