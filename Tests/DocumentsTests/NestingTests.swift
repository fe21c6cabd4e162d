// Documents whose lists and mappings lie deep in one another, and what refusing them takes.

import Testing

@testable import Documents

@Suite("Nesting")
struct NestingTests {
  private func complaints(_ text: String) -> [String] {
    do {
      _ = try Document.parse(text, file: "f")
      return []
    } catch {
      return error.problems.map { "\($0)" }
    }
  }

  /// Keys that are mappings with such keys, so many in one another, again and again.
  private static func keys(_ depth: Int, times: Int) -> String {
    (1...times).map { "a\($0):\n  " + String(repeating: "? ", count: depth) + "b\n" }.joined()
  }

  @Test(
    "deep keys are refused after a look at the first, however deep and however many there are",
    arguments: [40, 200, 900, 5_000],
    [1, 300]
  )
  func work(_ depth: Int, _ times: Int) throws {
    var bound = DocumentEvents(32)
    let found = bound.place(in: SurrogatePairs(Self.keys(depth, times: times)), file: "f")
    let place = try #require(found)
    // Two for the beginnings of stream and document, one for each mapping, one for its first key.
    #expect(bound.events <= 2 + 33 + 2)
    #expect(place.line == 2 && place.column == 3 + 2 * 31)
  }

  @Test("they are not composed: the reader reports the first that is nested too deep")
  func refused() {
    #expect(
      complaints(Self.keys(900, times: 1)) == [
        "f:2:69: lists and mappings are nested deeper than 32 levels"
      ]
    )
    #expect(
      complaints("a: " + String(repeating: "[", count: 40) + String(repeating: "]", count: 40)) == [
        "f:1:37: lists and mappings are nested deeper than 32 levels"
      ]
    )
  }

  @Test("what lies as deep as it may is taken, with a path where it lies one deeper")
  func allowed() {
    func nested(_ depth: Int) -> String {
      "a: " + String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
    }
    #expect(complaints(nested(31)) == [])
    #expect(complaints(nested(32)).first?.contains("a.1.1.1") == true)
    #expect(complaints(nested(33)).first?.contains("a.1.1.1") == true)
  }

  @Test("signs of lists and mappings in texts count for nothing")
  func texts() {
    let lines = (1...400).map { "- \"{[? { [ \($0)\"\n- what? {{ '[\n" }.joined()
    #expect(complaints(lines) == [])
  }

  @Test("invalid YAML is reported as such, also after deep nesting")
  func noYAML() {
    var bound = DocumentEvents(32)
    let (broken, empty) = (
      bound.place(in: SurrogatePairs("a: [1, 2"), file: "f"),
      bound.place(in: SurrogatePairs(""), file: "f")
    )
    #expect(broken == nil && empty == nil)
    #expect(complaints("a: [1, 2").first?.contains("invalid YAML") == true)
  }
}
