// Escapes text for XML and HTML.

package enum Markup {
  /// Escapes `text` for one line of markup, also in attributes in double quotes.
  ///
  /// Unprintable characters are replaced by their codes: XML 1.0 does not allow control characters.
  ///
  /// - Source: XML 1.0, 2.2 (Char) and 2.4.
  package static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.printable.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  package static func escaped(lines: [String]) -> String {
    lines.map { escaped($0) }.joined(separator: "\n")
  }

  /// Attributes, ` name="value"` for each pair with a value.
  package static func attributes(_ pairs: [(String, String?)]) -> String {
    pairs.map { name, value in value.map { " \(name)=\"\(escaped($0))\"" } ?? "" }.joined()
  }
}
