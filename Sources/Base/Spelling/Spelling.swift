// Guesses at what a misspelt word should be: of keys in files, and of the field's names.

/// Guesses at what a misspelt word should be.
public enum Spelling {
  /// Words of other programs, and of other places in a file, with what they are called here.
  private static let synonyms: [String: [String]] = [
    "retry": ["attempts"], "retries": ["attempts", "retry"], "tries": ["attempts", "retry"],
    "attempts": ["retry"], "timeout": ["within"], "within": ["timeout"],
  ]

  /// The candidate that means the same as the word, or the one with the smallest edit distance, if
  /// that is small for its length, or one of the same letters.
  ///
  /// Two letters in the wrong order are one edit; case does not count. Of candidates at the same
  /// distance, the first wins.
  public static func nearest(to word: String, among candidates: [String]) -> String? {
    let letters = word.lowercased().prefix { $0.isLetter }
    if let synonym = synonyms[String(letters)]?.first(where: candidates.contains) { return synonym }
    let candidates = candidates.filter { !haveOtherNumbers(word, $0) }
    let wanted = Array(word.lowercased())
    // Each extra letter is an edit. Words of very different lengths are not compared: a word of a
    // megabyte would otherwise be compared with every known name.
    let best = candidates.filter { abs($0.count - wanted.count) <= edits(in: $0) }
      .map { ($0, editDistance(wanted, Array($0.lowercased()))) }
      .min { $0.1 < $1.1 }
    if let (candidate, distance) = best, distance <= edits(in: candidate) { return candidate }
    return candidates.first {
      $0.count > 2 && $0.count == wanted.count && $0.lowercased().sorted() == wanted.sorted()
    }
  }

  /// The least number of digits in a serial number.
  private static let leastSerialDigits = 3

  /// Whether two words differ only in their digits, of which they have as many as serial numbers: one is
  /// no misspelling of the other.
  private static func haveOtherNumbers(_ word: String, _ candidate: String) -> Bool {
    func parts(_ text: String) -> (letters: String, digits: String) {
      let text = text.lowercased()
      return (text.filter { !$0.isNumber }, text.filter(\.isNumber))
    }
    let (a, b) = (parts(word), parts(candidate))
    return a.letters == b.letters && a.digits != b.digits
      && min(a.digits.count, b.digits.count) >= leastSerialDigits
  }

  /// How many edits a word may be away from a candidate to be treated as a misspelling of it.
  private static func edits(in candidate: String) -> Int { max(1, candidate.count / 3) }
}
