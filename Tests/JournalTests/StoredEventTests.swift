// What a journal has of an event, read back.

import GRDB
import Jobs
import Testing

@testable import Journal

@Suite("Stored events")
struct StoredEventTests {
  private func row(_ sql: String) throws -> StoredRow {
    try DatabaseQueue().read { try #require(try $0.row("SELECT \(sql)")) }
  }

  private func event(_ name: String) throws -> StoredEvent {
    let isValue = name == "value"
    return try StoredEvent(
      try row(
        "'\(name)' AS kind, 3 AS event, '2000-01-01T00:00:01.000000Z' AS time, 1000000 AS moment, "
          + "1 AS attempt, '2' AS position, 'read' AS operation, 'battery-level' AS attribute, "
          + "NULL AS written, NULL AS status, '\(isValue ? "7" : "{}")' AS json, '07' AS hex, "
          + "NULL AS error, NULL AS label"
      )
    )
  }

  @Test("an unknown event is an error")
  func unknown() {
    #expect(throws: StoredRow.Unexpected.self) { try event("paused") }
  }

  @Test("an event is exported with what it has")
  func exported() throws {
    let chain = try ExportedChain(
      try row(
        "1 AS chain, 'Thermo-1' AS device, '0123456789abcdef' AS identity, NULL AS name, "
          + "NULL AS device_name, '7' AS seed, 1 AS steps, '2000-01-01T00:00:00.000000Z' AS started, "
          + "0 AS started_offset, NULL AS finished, NULL AS status"
      )
    )
    let line = chain.line(try event("value")).text
    #expect(line.hasPrefix(#"{"v":1,"event":"value","time":"2000-01-01T00:00:01.000000Z""#))
    #expect(line.hasSuffix(#""attribute":"battery-level","value":7,"hex":"07"}"#))
  }
}
