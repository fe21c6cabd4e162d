// The excerpt of a one-line chain in an error message, with a caret under the error.

package import Documents

/// A line of a chain in the one-line form, and a caret under a place in it.
///
/// A long line is cut around the place. A text with a passkey is never quoted; in one that pairs,
/// numbers of four digits or more are masked.
package struct LineExcerpt {
  /// The line, and the caret below it.
  package let lines: [String]

  /// The maximum number of characters shown of a line.
  private static let width = 72

  /// Creates the excerpt of a problem; nil if the problem has no line.
  package init?(_ problem: Problem) {
    guard let line = problem.line, let place = problem.place else { return nil }
    self.init(line, at: Place(file: place.file, line: 1, column: place.column))
  }

  /// The line at a place; nil if the place is not in the text, or the text has a passkey.
  package static func line(at place: Place, of text: String) -> String? {
    let all = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard !text.contains("passkey"), all.indices.contains(place.line - 1) else { return nil }
    let written = String(all[place.line - 1])
    // Masked because `passkey` may be misspelled in front of its number.
    guard text.contains("pair") else { return written }
    return String("passkey \(written)".withoutPasskeys.dropFirst(8))
  }

  /// - Returns: Nil for a place outside the text or on an empty line, and for a text with a
  ///   passkey.
  package init?(_ text: String, at place: Place) {
    guard let shown = Self.line(at: place, of: text) else { return nil }
    let line = shown.singleScalars.map { $0.isWhitespace ? " " : $0 }
    guard (1...(line.count + 1)).contains(place.column), line.contains(where: { $0 != " " }) else {
      return nil
    }
    let start = max(0, min(place.column - 1 - Self.width / 2, line.count - Self.width))
    let end = min(line.count, start + Self.width)
    let before = (start > 0 ? "\u{2026}" : "") + String(line[start..<(place.column - 1)])
    let after = String(line[(place.column - 1)..<end]) + (end < line.count ? "\u{2026}" : "")
    let caret = String(repeating: " ", count: ColumnText(before).columns) + "^"
    lines = [(before + after).printable, caret]
  }
}

extension String {
  /// The Unicode scalars, each as a character, so that a combining mark does not hide a quote or
  /// space before it. CR LF stays one newline.
  package var singleScalars: [Character] {
    flatMap { $0 == "\r\n" ? [$0] : $0.unicodeScalars.map { Character($0) } }
  }
}
