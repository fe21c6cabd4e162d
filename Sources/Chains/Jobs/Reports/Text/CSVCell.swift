// A cell of comma-separated values.

import Documents

/// Writes cells of tables.
///
/// - Source: RFC 4180; OWASP, "CSV Injection".
package enum CSVCell {
  /// The characters that begin a formula in a spreadsheet, also in their wide forms. A tabulator and a
  /// carriage return are escaped before.
  private static let formulaStarts: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}",
  ]

  /// A line of a table, without its end.
  package static func line(_ cells: [String]) -> String {
    cells.map { text($0) }.joined(separator: ",")
  }

  /// A cell, printable, and in quotes if necessary.
  ///
  /// A text that a spreadsheet would run as a formula begins with an apostrophe; a number stays a
  /// number, also a negative one.
  package static func text(_ cell: String) -> String {
    let shown = guarded(cell.printable)
    guard shown.utf8.contains(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") })
    else { return shown }
    // By Unicode scalars: a combining mark may follow a quote.
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

  /// Whether it is a number in digits: not the name of one, such as `-inf`.
  private static func isNumber(_ cell: String) -> Bool {
    cell.utf8.allSatisfy { "+-.eE0123456789".utf8.contains($0) } && Double(cell) != nil
  }
}

extension JSONValue {
  /// The value as a cell: a text without its quotes, nothing for null.
  package var cell: String {
    if case .string(let text) = self { return text }
    return self == .null ? "" : text
  }
}
