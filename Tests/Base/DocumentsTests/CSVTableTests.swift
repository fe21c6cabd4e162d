// Tables as other people's programs write them.

import Documents
import Testing

@Suite("Tables")
struct CSVTableTests {
  private func cells(_ text: String) throws -> [[String]] {
    let table = try CSVTable.parse(text, file: "t.csv")
    return [table.columns] + table.rows.map { $0.map(\.cellText) }
  }

  @Test("a byte order mark and line ends of other systems change nothing")
  func other() throws {
    let cells = try cells("a,b\n1,\"x\ny\"\n")
    #expect(cells == [["a", "b"], ["1", "x\ny"]])
    #expect(try self.cells("\u{feff}a,b\r\n1,\"x\ny\"\r\n") == cells)
    #expect(try self.cells("\u{feff}\"a\",b\r1,\"x\ny\"\r") == cells)
  }

  @Test("a mark behind a comma, a quote or a line end does not hide it")
  func marks() throws {
    let mark = "\u{301}"
    #expect(
      try cells("a,\(mark)b\n\(mark)1,\"\(mark)\"\n") == [["a", "\(mark)b"], ["\(mark)1", mark]]
    )
    #expect(try cells("a\n\"x\"\"\(mark)y\"\n") == [["a"], ["x\"\(mark)y"]])
  }

  @Test("lines are counted by their ends, CR LF as one")
  func lines() throws {
    for end in ["\n", "\r\n", "\r"] {
      let text = ["# by hand", "a,b", "", "1", ""].joined(separator: end)
      let errors = #expect(throws: DocumentErrors.self) { try cells(text) }
      #expect(errors?.problems.map(\.description) == ["t.csv:4:1: expected 2 cells, found 1 cell"])
    }
  }
}
