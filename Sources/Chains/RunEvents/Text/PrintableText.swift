// Makes text from outside safe to print.
//
// It does not know markup, JSON or CSV: their writers escape what their formats require.

import Documents

/// Text that a terminal, a log or a report shows unchanged.
///
/// Names, values and messages come from devices, files and other programs. Printed unchanged, they
/// could control the terminal, begin lines of their own, or reorder text around them. All output
/// goes through this type, which replaces invisible characters by their codes, `\u{1b}`. Escaped
/// text is not escaped again.
public struct PrintableText: Hashable, Sendable, CustomStringConvertible {
  public let description: String

  /// Escapes text for one line, including newlines.
  ///
  /// ```swift
  /// print(PrintableText(line: advertisement.name ?? "without a name"))
  /// ```
  public init(line text: String) { description = Self.escaped(text, keepsLineFeeds: false) }

  /// Escapes text of several lines; line feeds are kept.
  ///
  /// Only for text whose lines this program made: a line feed from outside would begin a line.
  ///
  /// ```swift
  /// print(PrintableText(lines: plan.description))
  /// ```
  public init(lines text: String) { description = Self.escaped(text, keepsLineFeeds: true) }

  private static func escaped(_ text: String, keepsLineFeeds: Bool) -> String {
    // The fast path: most texts are printable ASCII.
    guard !text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else { return text }
    var shown = ""
    for scalar in text.unicodeScalars {
      if scalar.isPrintable || keepsLineFeeds && scalar == "\n" {
        shown.unicodeScalars.append(scalar)
      } else {
        shown += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return shown
  }
}

extension String {
  /// The text escaped for one line by ``PrintableText``.
  package var printable: String { PrintableText(line: self).description }
}
