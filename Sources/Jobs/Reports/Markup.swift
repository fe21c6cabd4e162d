// Escapes text for XML and HTML.

/// Escapes text for markup.
enum Markup {
  /// `text` with markup characters escaped, also for attributes in double quotes.
  ///
  /// Control characters are replaced by their codes: XML 1.0 does not allow them. Line ends are
  /// kept.
  ///
  /// - Source: XML 1.0, 2.2 (Char) and 2.4.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\n": escaped += "\n"
      case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{fffe}", "\u{ffff}":
        escaped += "\\u{\(String(scalar.value, radix: 16))}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// ` name="value"` for each pair.
  static func attributes(_ pairs: [(String, String)]) -> String {
    pairs.map { " \($0)=\"\(escaped($1).replacingLineEnds)\"" }.joined()
  }
}

extension String {
  /// The text with line ends escaped, so that XML keeps them in attributes.
  fileprivate var replacingLineEnds: String {
    split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "&#10;")
  }
}
