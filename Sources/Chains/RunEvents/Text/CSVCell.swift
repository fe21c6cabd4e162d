// A cell of comma-separated values.

import Documents

/// Cells and lines of CSV.
///
/// - Source: RFC 4180; OWASP, "CSV Injection".
package enum CSVCell {
  /// The characters that begin a formula in a spreadsheet, including their full-width forms. Tabs
  /// and carriage returns are already escaped.
  private static let formulaStarts: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}",
  ]

  /// Joins cells to a line, without a line end.
  package static func line(_ cells: [String]) -> String {
    cells.map { text($0) }.joined(separator: ",")
  }

  /// Makes a cell printable, and quotes it if necessary.
  ///
  /// A text that a spreadsheet would run as a formula gets an apostrophe in front; a number stays a
  /// number, even if it is negative.
  package static func text(_ cell: String) -> String {
    let shown = guarded(cell.printable)
    guard shown.utf8.contains(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") })
    else { return shown }
    // Unicode scalars, not characters: a quote with a combining mark would be one character and
    // stay unescaped.
    var text = "\""
    for scalar in shown.unicodeScalars {
      if scalar == "\"" { text += "\"" }
      text.unicodeScalars.append(scalar)
    }
    return text + "\""
  }

  private static func guarded(_ cell: String) -> String {
    guard let first = cell.unicodeScalars.first, formulaStarts.contains(first), !isNumber(cell)
    else { return cell }
    return "'" + cell
  }

  /// Whether the cell is a number in digits, not the name of one such as `-inf`.
  private static func isNumber(_ cell: String) -> Bool {
    cell.utf8.allSatisfy { "+-.eE0123456789".utf8.contains($0) } && Double(cell) != nil
  }
}

extension JSONValue {
  /// The value as a cell: a text without quotes, empty for null.
  package var cell: String {
    if case .string(let text) = self { return text }
    return self == .null ? "" : text
  }
}
