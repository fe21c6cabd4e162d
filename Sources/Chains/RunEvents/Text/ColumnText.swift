// The width of text in terminal columns, and text cut to a width.
//
// Where terminals differ, the larger width counts, because a line that is too short does no harm.

/// A line of text, measured in columns.
package struct ColumnText: Sendable {
  private let scalars: String.UnicodeScalarView

  /// Makes the text printable first, so that the width is that of the shown text.
  package init(_ text: String) { scalars = PrintableText(line: text).description.unicodeScalars }

  /// The maximum width in columns.
  package var columns: Int { scalars.reduce(0) { $0 + Self.columns(of: $1) } }

  /// Cuts the text to a width; `…` replaces the removed end.
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

  /// Joins a start, details and an end within a width. The start is cut first, then the details are
  /// omitted; the end is kept longest.
  package static func line(_ start: String, details: String, end: String, columns: Int) -> String {
    for end in [details + end, end] {
      let left = columns - ColumnText(end).columns
      if left >= leastStart { return ColumnText(start).cut(to: left) + end.printable }
    }
    return ColumnText(start + end).cut(to: columns)
  }

  /// The smallest useful width of a start.
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
