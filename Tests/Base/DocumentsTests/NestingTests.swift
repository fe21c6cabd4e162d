// Deeply nested lists and mappings, and how they are rejected.

import Documents
import Testing

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
    "among many deep keys, the first that exceeds the depth limit is reported",
    arguments: [40, 200, 900, 5_000], [1, 90]
  )
  func keys(_ depth: Int, _ times: Int) {
    #expect(
      complaints(Self.keys(depth, times: times)) == [
        "f:2:69: lists and mappings are nested deeper than 32 levels"
      ]
    )
  }

  @Test("among deep lists, the first that exceeds the depth limit is reported")
  func lists() {
    #expect(
      complaints("a: " + String(repeating: "[", count: 40) + String(repeating: "]", count: 40)) == [
        "f:1:37: lists and mappings are nested deeper than 32 levels"
      ]
    )
  }

  @Test("values at the depth limit are accepted; one level deeper is reported with its path")
  func allowed() {
    func nested(_ depth: Int) -> String {
      "a: " + String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
    }
    #expect(complaints(nested(31)) == [])
    #expect(complaints(nested(32)).first?.contains("a.1.1.1") == true)
    #expect(complaints(nested(33)).first?.contains("a.1.1.1") == true)
  }

  @Test("list and mapping characters inside texts do not count as nesting")
  func texts() {
    let lines = (1...400).map { "- \"{[? { [ \($0)\"\n- what? {{ '[\n" }.joined()
    #expect(complaints(lines) == [])
  }

  @Test("invalid YAML is reported as invalid, even after deep nesting")
  func noYAML() {
    #expect(complaints("a: [1, 2").first?.contains("invalid YAML") == true)
  }
}
