// A cell of comma-separated values.

/// Writes cells of tables.
///
/// - Source: RFC 4180.
package enum CSVCell {
  /// A cell, in quotes where it has to be.
  package static func text(_ cell: String) -> String {
    guard cell.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else { return cell }
    // By scalars: a quote may have a mark of its own combined with it.
    var text = "\""
    for scalar in cell.unicodeScalars {
      if scalar == "\"" { text += "\"" }
      text.unicodeScalars.append(scalar)
    }
    return text + "\""
  }
}
