// Suggestions for misspelt words: keys in files, and names of the field.

/// Suggestions for misspelt words.
public enum Spelling {
  /// Words of other programs, and of other places in a file, with their names here.
  private static let synonyms: [String: [String]] = [
    "retry": ["attempts"], "retries": ["attempts", "retry"], "tries": ["attempts", "retry"],
    "attempts": ["retry"], "timeout": ["within"], "within": ["timeout"],
  ]

  /// The candidate that is a synonym of the word; otherwise the one with the smallest edit
  /// distance, if that is small for its length; otherwise one with the same letters in another
  /// order.
  ///
  /// Case does not count. Of candidates at the same distance, the first is returned.
  public static func nearest(to word: String, among candidates: [String]) -> String? {
    let letters = word.lowercased().prefix { $0.isLetter }
    if let synonym = synonyms[String(letters)]?.first(where: candidates.contains) { return synonym }
    let wanted = Array(word.lowercased())
    // Each extra letter is an edit, so words of very different lengths need not be compared: a word
    // of a megabyte would cost too much time.
    let candidates = candidates.filter {
      abs($0.count - wanted.count) <= edits(in: $0) && !haveOtherNumbers(word, $0)
    }
    let best =
      candidates
      .map { ($0, editDistance(wanted, Array($0.lowercased()))) }
      .min { $0.1 < $1.1 }
    if let (candidate, distance) = best, distance <= edits(in: candidate) { return candidate }
    return candidates.first {
      $0.count > 2 && $0.count == wanted.count && $0.lowercased().sorted() == wanted.sorted()
    }
  }

  /// The minimum number of digits in a serial number.
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

  /// The maximum number of edits between a candidate and its misspelling.
  private static func edits(in candidate: String) -> Int { max(1, candidate.count / 3) }
}
