// An error in a chain, before its position is known.

import Documents
import Spelling

/// An error without its position, for the readers of files and of the one-line form.
struct Complaint: Error, Equatable {
  let message: String
  var expected: String?
  var nearest: String?

  init(_ message: String, expected: String? = nil, nearest: String? = nil) {
    self.message = message
    self.expected = expected
    self.nearest = nearest
  }

  /// An invalid value: the message is `expected Y, found X`.
  ///
  /// - Parameter found: What is written: `'x'` in quotes, or its kind, such as `a list`.
  init(found: String, expected: String, nearest: String? = nil) {
    self.init(DocumentProblem.message(found: found, expected: expected), nearest: nearest)
  }

  /// The error with the position of a node.
  func about(_ node: Node) -> DocumentProblem {
    node.problem(message, expected: expected, nearest: nearest)
  }

  /// The error with a position.
  func at(_ place: Place, path: String = "") -> DocumentProblem {
    DocumentProblem(place, path: path, message, expected: expected, nearest: nearest)
  }

  /// An unknown word.
  static func unknown(_ message: String, _ word: String, among known: [String]) -> Complaint {
    let nearest = nearest(to: word, among: known)
    let all = known.count == 1 ? known[0] : "one of " + known.joined(separator: ", ")
    return Complaint(message, expected: nearest == nil ? all : nil, nearest: nearest)
  }

  /// A value that is not one of the known words.
  ///
  /// - Parameter found: What is written: the word in quotes, or its kind, such as `a list`.
  static func unknown(found: String, _ word: String, among known: [String]) -> Complaint {
    if let nearest = nearest(to: word, among: known) {
      return Complaint("unknown word \(found)", nearest: nearest)
    }
    let all = known.count == 1 ? known[0] : "one of " + known.joined(separator: ", ")
    return Complaint(found: found, expected: all)
  }

  /// The nearest known word: with missing, additional, wrong or reordered letters.
  static func nearest(to word: String, among known: [String]) -> String? {
    Spelling.nearest(to: word, among: known)
      ?? known.first { $0.count > 2 && $0.sorted() == word.lowercased().sorted() }
  }
}
