// Text from outside as text that can be shown. Pure.
//
// It does not know markup, JSON or CSV: their writers escape what their formats require, too.

import Documents

/// Text that a terminal, a log or a report shows as it is.
///
/// Names, values and messages come from devices, files and other programs. Printed unchanged, they
/// could control the terminal, begin lines of their own, or reorder what is around them. Everything
/// that is written goes through this type: what a person cannot see is replaced by its code,
/// `\u{1b}`. Text that was escaped is not escaped again.
public struct PrintableText: Hashable, Sendable, CustomStringConvertible {
  /// The escaped text.
  public let description: String

  /// Text for one line: line ends are escaped, too.
  ///
  /// ```swift
  /// print(PrintableText(line: advertisement.name ?? "without a name"))
  /// ```
  public init(line text: String) { description = Self.escaped(text, keepsLineFeeds: false) }

  /// Text of several lines: line feeds are kept.
  ///
  /// Only for text that this program made of lines: a line feed from outside would begin a line.
  ///
  /// ```swift
  /// print(PrintableText(lines: plan.description))
  /// ```
  public init(lines text: String) { description = Self.escaped(text, keepsLineFeeds: true) }

  private static func escaped(_ text: String, keepsLineFeeds: Bool) -> String {
    // Most texts are in ASCII, without controls.
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
  /// The text for one line, as ``PrintableText`` has it.
  package var printable: String { PrintableText(line: self).description }
}
