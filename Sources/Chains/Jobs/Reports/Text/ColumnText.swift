// How many columns of a terminal a text takes, and a text cut to columns.
//
// Pure. Terminals differ in some characters: where they do, the larger width counts, because a line
// that is too short does no harm.

/// Text of one line, measured in columns.
package struct ColumnText: Sendable {
  private let scalars: String.UnicodeScalarView

  /// Text from outside is made printable first: what is cut is what is shown.
  package init(_ text: String) { scalars = PrintableText(line: text).description.unicodeScalars }

  /// How many columns it takes at most.
  package var columns: Int { scalars.reduce(0) { $0 + Self.columns(of: $1) } }

  /// Its start, in so many columns at most. What is cut off is replaced by `…`.
  package func cut(to columns: Int) -> String {
    guard self.columns > columns else { return String(scalars) }
    guard columns > 0 else { return "" }
    var (kept, used) = (String.UnicodeScalarView(), 0)
    for scalar in scalars {
      used += Self.columns(of: scalar)
      guard used < columns else { break }
      kept.append(scalar)
    }
    return String(kept) + "…"
  }

  /// A start and details of it, then an end that is kept as long as there is place for it: first the
  /// start is cut, then the details are left out.
  package static func line(_ start: String, details: String, end: String, columns: Int) -> String {
    for end in [details + end, end] {
      let left = columns - ColumnText(end).columns
      if left >= leastStart { return ColumnText(start).cut(to: left) + end.printable }
    }
    return ColumnText(start + end).cut(to: columns)
  }

  /// Less of a start is of no use.
  private static let leastStart = 8

  /// - Source: Unicode 15, UAX 11 (East Asian Width: W and F), and UTS 51 (emoji presentation). A
  ///   variation selector counts, because it may make the character before it an emoji.
  private static func columns(of scalar: Unicode.Scalar) -> Int {
    guard scalar.value >= 0x300 else { return 1 }
    if (0xfe00...0xfe0f).contains(scalar.value) { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    // open: categories of Unicode
    default: break
    }
    return scalar.properties.isEmojiPresentation || isWide(scalar.value) ? 2 : 1
  }

  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97f,
      0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff01...0xff60,
      0xffe0...0xffe6, 0x16fe0...0x1b2ff, 0x1f000...0x1faff, 0x20000...0x3fffd:
      true
    default: false
    }
  }
}
