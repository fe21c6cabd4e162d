// Words that a file, a suite or an option does not know.

import Spelling

extension Problem {
  /// An unknown word: with the nearest of those that are known; where none is near, with all.
  ///
  /// - Parameter given: Words that are known, but not meant, as they are written already.
  package static func unknown(
    _ message: String,
    _ word: String?,
    among known: [String],
    besides given: [String] = []
  ) -> Problem {
    let free = known.filter { !given.contains($0) }
    let nearest = word.flatMap { Spelling.nearest(to: $0, among: free) }
    let isOpen = nearest == nil && !known.isEmpty
    return Problem(message, expected: isOpen ? any(of: known) : nil, nearest: nearest)
  }

  /// A value that is not one of the known words.
  ///
  /// - Parameter found: What is written: the word in quotes, or its kind, such as `a list`.
  package static func unknown(found: String, _ word: String, among known: [String]) -> Problem {
    if let nearest = Spelling.nearest(to: word, among: known) {
      return Problem("unknown word \(found)", nearest: nearest)
    }
    return Problem(found: found, expected: any(of: known))
  }

  /// What is expected where only some words are allowed.
  package static func any(of known: [String]) -> String {
    switch known.count {
    case 0: "nothing"
    case 1: known[0]
    default: "one of " + known.joined(separator: ", ")
    }
  }
}
