// Words that chains do not know.

import Documents
import Spelling

extension Problem {
  /// An unknown word.
  static func unknown(_ message: String, _ word: String, among known: [String]) -> Problem {
    let nearest = nearest(to: word, among: known)
    let all = known.count == 1 ? known[0] : "one of " + known.joined(separator: ", ")
    return Problem(message, expected: nearest == nil ? all : nil, nearest: nearest)
  }

  /// A value that is not one of the known words.
  ///
  /// - Parameter found: What is written: the word in quotes, or its kind, such as `a list`.
  static func unknown(found: String, _ word: String, among known: [String]) -> Problem {
    if let nearest = nearest(to: word, among: known) {
      return Problem("unknown word \(found)", nearest: nearest)
    }
    let all = known.count == 1 ? known[0] : "one of " + known.joined(separator: ", ")
    return Problem(found: found, expected: all)
  }

  /// The nearest known word: with missing, additional, wrong or reordered letters.
  static func nearest(to word: String, among known: [String]) -> String? {
    Spelling.nearest(to: word, among: known)
      ?? known.first { $0.count > 2 && $0.sorted() == word.lowercased().sorted() }
  }
}
