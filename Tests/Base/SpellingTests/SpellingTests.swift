// Suggestions for misspelt words.

import Testing

@testable import Spelling

@Suite("Spelling")
struct SpellingTests {
  @Test(
    "one edit inserts, removes, replaces or swaps characters",
    arguments: [
      ("", "", 0), ("abc", "abc", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abd", 1),
      ("abc", "abcd", 1), ("abc", "ac", 1), ("abc", "acb", 1), ("abcd", "badc", 2),
      // A swap, then a letter between the two, would edit letters twice.
      ("ca", "abc", 3), ("kitten", "sitting", 3), ("aab", "aba", 1),
    ]
  )
  func distance(a: String, b: String, edits: Int) {
    #expect(editDistance(Array(a), Array(b)) == edits)
    #expect(editDistance(Array(b), Array(a)) == edits)
  }

  @Test("a swap is closer than two replacements")
  func swap() {
    // "form" is one swap from "from" and two replacements from "fort" or "farm".
    #expect(Spelling.nearest(to: "form", among: ["farms", "from", "foul"]) == "from")
    #expect(Spelling.nearest(to: "abdc", among: ["abxx", "abcd"]) == "abcd")
    #expect(Spelling.nearest(to: "raed", among: ["write", "read"]) == "read")
    #expect(Spelling.nearest(to: "dear", among: ["write", "read"]) == "read")
  }

  @Test("a word unlike any other has no nearest word; case is ignored")
  func none() {
    #expect(Spelling.nearest(to: "zzz", among: ["read", "write"]) == nil)
    // Serial numbers.
    #expect(Spelling.nearest(to: "Soil-25010", among: ["Soil-25001", "Soil-25002"]) == nil)
    #expect(Spelling.nearest(to: "soil-2501", among: ["Soil-25001"]) == nil)
    #expect(Spelling.nearest(to: "Soli-25001", among: ["Soil-25001"]) == "Soil-25001")
    #expect(Spelling.nearest(to: "u18", among: ["u8", "u16"]) == "u8")
    #expect(Spelling.nearest(to: "READ", among: ["read", "write"]) == "read")
    #expect(Spelling.nearest(to: "read", among: []) == nil)
  }

  @Test("a word of a megabyte is not compared", .timeLimit(.minutes(1)))
  func long() {
    let names = (0..<2_000).map { "characteristic-number-\($0)" }
    #expect(Spelling.nearest(to: String(repeating: "x", count: 1 << 20), among: names) == nil)
  }
}
