// Patterns in advertised data match what regular expressions of that kind match.

import Documents
import NordicSuites
import Testing

@Suite("Patterns in advertised data")
struct DataPatternTests {
  @Test(
    "a pattern matches the data that it describes",
    arguments: [
      ("10", "020104", true), ("0D18", "05030D180F18", true), ("0D18", "05030F18", false),
      ("^02", "020104", true), ("^01", "020104", false), ("04$", "020104", true),
      ("02$", "020104", false), ("", "", true), ("FF..59", "FF004C59", false),
      ("FF....59", "FF004C59", true), ("FF(4C00|5900)", "03FF590001", true),
      ("FF(?:4C|59)01", "FF5900", false), ("[0-9A-F]{4}$", "AB12", true), ("[^0]", "000", false),
      ("A+B", "CAAAB", true), ("A*B", "B", true), ("AB?C", "AC", true), ("(AB){2}", "ABAB", true),
      ("(AB){3}", "ABAB", false), ("A{2,}", "AXA", false), ("A{1,2}$", "AAA", true),
      ("\\d\\d", "A12", true), ("A+?B", "AAB", true), ("0d18", "0D18", false), ("|X", "Y", true),
    ]
  )
  func finding(_ pattern: String, _ text: String, _ isFound: Bool) throws {
    #expect(try DataPattern(pattern).isFound(in: text) == isFound)
  }

  @Test(
    "an invalid pattern is an error",
    arguments: ["(", ")", "[", "*", "a{2", "a{3,2}", "\\", "\\w", "(?=a)"]
  )
  func wrong(_ pattern: String) {
    #expect(throws: Problem.self) { try DataPattern(pattern) }
  }

  @Test("a slow pattern still matches quickly, and a huge one is rejected")
  func hostile() throws {
    let text = String(repeating: "A", count: 4_000) + "B"
    #expect(try !DataPattern("(A+)+C").isFound(in: text))
    #expect(try !DataPattern("(A|AA|A?)*C").isFound(in: text))
    #expect(throws: Problem.self) { try DataPattern("((A{100}){100}){100}") }
    #expect(throws: Problem.self) { try DataPattern(String(repeating: "(", count: 5_000)) }
    #expect(throws: Problem.self) { try DataPattern(String(repeating: "A", count: 5_000)) }
  }
}
