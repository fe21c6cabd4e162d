// A cell of comma-separated values.

/// Writes cells of tables.
///
/// - Source: RFC 4180.
package enum CSVCell {
  /// A cell, in quotes if necessary.
  package static func text(_ cell: String) -> String {
    guard cell.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else { return cell }
    // By Unicode scalars: a combining mark may follow a quote.
    var text = "\""
    for scalar in cell.unicodeScalars {
      if scalar == "\"" { text += "\"" }
      text.unicodeScalars.append(scalar)
    }
    return text + "\""
  }
}
