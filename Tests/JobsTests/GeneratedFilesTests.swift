// What is made of the descriptions of steps is in the files that show it.

import Foundation
import Testing

@testable import Jobs

@Suite("Files made of the descriptions of steps")
struct GeneratedFilesTests {
  /// Where a run with this variable set writes the files instead of comparing them.
  static let writes = ProcessInfo.processInfo.environment["BLERUN_WRITE_GENERATED"] != nil

  /// Compares a file with what it has to be, or writes it.
  func compare(_ name: String, _ made: (String) -> String) throws {
    let url = ChainSchemaTests.docs.appending(path: name)
    let text = try String(contentsOf: url, encoding: .utf8)
    let made = made(text)
    if Self.writes {
      try made.write(to: url, atomically: true, encoding: .utf8)
    } else {
      #expect(made == text, "BLERUN_WRITE_GENERATED=1 in the environment of this test writes it")
    }
  }

  @Test("the schema of chains is what 'blerun schema chain' prints")
  func schema() throws {
    try compare(ChainSchemaTests.file) { _ in ChainSchema.text + "\n" }
  }

  @Test(
    "the tables of the pages are those of the descriptions",
    arguments: ["chains.md", "batch.md"]
  )
  func tables(page: String) throws {
    try compare(page) { PageTables.updated($0) }
    let text = try String(
      contentsOf: ChainSchemaTests.docs.appending(path: page),
      encoding: .utf8
    )
    for table in PageTables.Table.allCases where table.page == page {
      #expect(text.contains(table.marks.begin + table.text + table.marks.end))
    }
  }

  @Test("every key is documented in one line, and no kind of step has one twice")
  func keys() {
    for verb in StepVerb.allCases {
      let names = verb.keys.map(\.name)
      #expect(Set(names).count == names.count, "\(verb.rawValue)")
      for key in verb.keys {
        #expect(!key.documentation.isEmpty && !key.documentation.contains("\n"), "\(key.name)")
      }
    }
  }
}
