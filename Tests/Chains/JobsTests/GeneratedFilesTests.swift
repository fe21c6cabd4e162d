// Files generated from the step descriptions are up to date.

import Foundation
import Testing

@testable import Jobs

@Suite("Files generated from the step descriptions")
struct GeneratedFilesTests {
  /// The variable that makes a run write the files instead of comparing them.
  static let writes = ProcessInfo.processInfo.environment["UPDATE_GENERATED"] != nil

  /// Compares a file with its expected text, or writes it.
  func compare(_ name: String, _ made: (String) -> String) throws {
    let url = ChainSchemaTests.docs.appending(path: name)
    let text = try String(contentsOf: url, encoding: .utf8)
    let made = made(text)
    if Self.writes {
      try made.write(to: url, atomically: true, encoding: .utf8)
    } else {
      #expect(made == text, "UPDATE_GENERATED=1 writes it")
    }
  }

  @Test("the schema of chains is what 'blerun schema chain' prints")
  func schema() throws {
    try compare(ChainSchemaTests.file) { _ in ChainSchema.text + "\n" }
  }

  @Test("the schema of batches is what 'blerun schema batch' prints")
  func batchSchema() throws {
    try compare("batch.schema.json") { _ in BatchSchema.text + "\n" }
  }

  @Test(
    "the tables in the documentation match the step descriptions",
    arguments: ["chains.md", "batch.md"]
  )
  func tables(page: String) throws {
    try compare(page) { PageTables.updated($0) }
  }
}
