// Stored events, read back from the journal.

import GRDB
import Jobs
import Testing

@testable import Journal

@Suite("Stored events")
struct StoredEventTests {
  @Test("an unknown event is an error")
  func unknown() throws {
    let columns = """
      'paused' AS kind, 3 AS event, '2000-01-01T00:00:01.000000Z' AS time, 1000000 AS moment, \
      1 AS attempt, '2' AS position, 'read' AS operation, 'battery-level' AS attribute, \
      NULL AS written, NULL AS status, '{}' AS json, '07' AS hex, NULL AS details, NULL AS error, \
      NULL AS label, 0 AS stream
      """
    let row = try DatabaseQueue().read { try #require(try $0.row("SELECT \(columns)")) }
    #expect(throws: StoredRow.Unexpected.self) { try StoredEvent(row) }
  }
}
