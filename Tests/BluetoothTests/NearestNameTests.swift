// Suggestions for names that are none.

import Testing

@testable import Bluetooth

@Suite("Nearest names")
struct NearestNameTests {
  @Test(
    "an edit inserts, removes, replaces or swaps",
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

  @Test(
    "a misspelt characteristic has its neighbour",
    arguments: [
      ("heart-rate-measuremnet", "heart-rate-measurement"),
      ("haert-rate-measurement", "heart-rate-measurement"),
      ("batery-level", "battery-level"), ("Battery-Levle", "battery-level"),
      ("temprature", "temperature"), ("humditiy", "humidity"), ("nordic-uart-xt", "nordic-uart-tx"),
      ("manufacturer-name", "manufacturer-name-string"),
    ]
  )
  func characteristics(written: String, meant: String) {
    #expect(AssignedNumbers.nearestCharacteristic(to: written) == meant)
  }

  @Test("a swap is closer than two replacements")
  func swap() {
    // "form" is one swap from "from" and two replacements from "fort" or "farm".
    #expect(AssignedNumbers.nearest(to: "form", among: ["farms", "from", "foul"]) == "from")
    #expect(AssignedNumbers.nearest(to: "abdc", among: ["abxx", "abcd"]) == "abcd")
  }

  @Test("services and descriptors have neighbours too")
  func others() {
    #expect(AssignedNumbers.nearestService(to: "haert-rate") == "heart-rate")
    #expect(AssignedNumbers.nearestService(to: "noridc-uart") == "nordic-uart")
    #expect(AssignedNumbers.nearestDescriptor(to: "valid-rnage") == "valid-range")
  }

  @Test("nonsense has none", arguments: ["zzzzzzzzzzzzzzzz", "qqq", "xyzzy-plugh"])
  func nonsense(text: String) {
    #expect(AssignedNumbers.nearestCharacteristic(to: text) == nil)
    #expect(AssignedNumbers.nearestService(to: text) == nil)
  }
}
