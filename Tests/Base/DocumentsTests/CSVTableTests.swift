// Tables as other people's programs write them.

import Documents
import Testing

@Suite("Tables")
struct CSVTableTests {
  private func cells(_ text: String) throws -> [[String]] {
    let table = try CSVTable.parse(text, file: "t.csv")
    return [table.columns] + table.rows.map { $0.map(\.cellText) }
  }

  @Test("a byte order mark and CR or CR LF line ends do not change the cells")
  func other() throws {
    let cells = try cells("a,b\n1,\"x\ny\"\n")
    #expect(cells == [["a", "b"], ["1", "x\ny"]])
    #expect(try self.cells("\u{feff}a,b\r\n1,\"x\ny\"\r\n") == cells)
    #expect(try self.cells("\u{feff}\"a\",b\r1,\"x\ny\"\r") == cells)
  }

  @Test("a combining mark after a comma, a quote or a line end does not hide it")
  func marks() throws {
    let mark = "\u{301}"
    #expect(
      try cells("a,\(mark)b\n\(mark)1,\"\(mark)\"\n") == [["a", "\(mark)b"], ["\(mark)1", mark]]
    )
    #expect(try cells("a\n\"x\"\"\(mark)y\"\n") == [["a"], ["x\"\(mark)y"]])
  }

  @Test(
    "the separator of the header row separates the cells of every row",
    arguments: [
      "a,b c\n1,\"x;\ty\"\n", "a;b c\n1;\"x;\ty\"\n", "a\tb c\n1\t\"x;\ty\"\n",
      "# of a spreadsheet\n\n\"a\" ; b c\r\n 1 ; \"x;\ty\"\r\n",
    ]
  )
  func separators(text: String) throws {
    #expect(try cells(text) == [["a", "b c"], ["1", "x;\ty"]])
  }

  @Test("a separator inside quotes, in a later row or at the end of the header is not used")
  func noSeparators() throws {
    #expect(try cells("\"a;b\"\n1;2\n") == [["a;b"], ["1;2"]])
    #expect(try cells("a;b,c\n1;2,3\n") == [["a;b", "c"], ["1;2", "3"]])
    #expect(try cells("a\t \n1\n") == [["a"], ["1"]])
    #expect(try cells("a\tb\n\t\n1\t\n") == [["a", "b"], ["", ""], ["1", ""]])
    let errors = #expect(throws: DocumentErrors.self) { try cells("a;b\n\"1\" x;2\n") }
    #expect(
      errors?.problems.map(\.description) == [
        "t.csv:2:5: text after the closing quote (expected a semicolon)"
      ]
    )
  }

  @Test("a CR LF counts as one line end in line numbers")
  func lines() throws {
    for end in ["\n", "\r\n", "\r"] {
      let text = ["# by hand", "a,b", "", "1", ""].joined(separator: end)
      let errors = #expect(throws: DocumentErrors.self) { try cells(text) }
      #expect(errors?.problems.map(\.description) == ["t.csv:4:1: expected 2 cells, found 1 cell"])
    }
  }
}
