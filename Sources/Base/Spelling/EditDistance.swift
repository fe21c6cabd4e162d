// The edit distance of two words, for suggestions.

/// The number of edits that turn one word into another.
///
/// An edit inserts, removes or replaces one letter, or swaps two adjacent letters; no letter is
/// edited twice. The time is proportional to the product of the lengths.
///
/// - Source: "optimal string alignment", a form of the Damerau–Levenshtein distance.
func editDistance(_ a: [Character], _ b: [Character]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var least = min(last[j] + (a[i] == b[j] ? 0 : 1), row[j] + 1, last[j + 1] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        least = min(least, beforeLast[j - 1] + 1)
      }
      row.append(least)
    }
    beforeLast = last
    last = row
  }
  return last[b.count]
}
