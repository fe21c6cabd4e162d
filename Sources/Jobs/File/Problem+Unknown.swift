// Words that chains and suites do not know.

import Bluetooth
package import Documents
import Spelling

extension Problem {
  /// An unknown word.
  package static func unknown(_ message: String, _ word: String, among known: [String]) -> Problem {
    let nearest = nearest(to: word, among: known)
    return Problem(message, expected: nearest == nil ? any(of: known) : nil, nearest: nearest)
  }

  /// A value that is not one of the known words.
  ///
  /// - Parameter found: What is written: the word in quotes, or its kind, such as `a list`.
  package static func unknown(found: String, _ word: String, among known: [String]) -> Problem {
    if let nearest = nearest(to: word, among: known) {
      return Problem("unknown word \(found)", nearest: nearest)
    }
    return Problem(found: found, expected: any(of: known))
  }

  /// A text that does not name a characteristic.
  init(_ error: SelectorError) {
    self.init(error.problem, expected: error.expected, nearest: error.nearest)
  }

  /// A word that is not a format.
  static func noFormat(_ word: String) -> Problem {
    .unknown("unknown format '\(word)'", word, among: ValueFormat.names)
  }

  private static func any(of known: [String]) -> String {
    switch known.count {
    case 0: "nothing"
    case 1: known[0]
    default: "one of " + known.joined(separator: ", ")
    }
  }

  /// The nearest known word: with missing, additional, wrong or reordered letters.
  static func nearest(to word: String, among known: [String]) -> String? {
    Spelling.nearest(to: word, among: known)
      ?? known.first { $0.count > 2 && $0.sorted() == word.lowercased().sorted() }
  }
}
