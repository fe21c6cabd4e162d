// What a journal has of an event, read back: also one that this version does not know.

import GRDB
import Testing

@testable import Journal

@Suite("Stored events")
struct StoredEventTests {
  private func row(_ sql: String) throws -> StoredRow {
    try DatabaseQueue().read { try #require(try $0.row("SELECT \(sql)")) }
  }

  private func event(_ name: String) throws -> StoredEvent {
    let isValue = name == "value" || name == "paused"
    return try StoredEvent(
      try row(
        "'\(name)' AS kind, 3 AS event, '2000-01-01T00:00:01.000000Z' AS time, 1000000 AS moment, "
          + "1 AS attempt, '2' AS position, 'read' AS operation, 'battery-level' AS attribute, "
          + "NULL AS written, NULL AS status, '\(isValue ? "7" : "{}")' AS json, '07' AS hex, "
          + "NULL AS error, NULL AS label"
      )
    )
  }

  @Test(
    "the name of each kind of event is read back as that kind",
    arguments: [
      ("run-started", StoredEvent.Kind.runStarted), ("step-started", .stepStarted),
      ("value", .value), ("gap", .gap), ("step-finished", .stepFinished),
      ("run-finished", .runFinished), ("note", .note),
      ("paused", .unknown("paused")),
    ]
  )
  func kinds(name: String, kind: StoredEvent.Kind) throws {
    let event = try event(name)
    #expect(event.kind == kind)
    #expect(event.kind.name == name)
  }

  @Test("an unknown event is exported under its name with what it has, and not as a gap")
  func unknown() throws {
    let chain = try ExportedChain(
      try row(
        "1 AS chain, 'Thermo-1' AS device, '0123456789abcdef' AS identity, NULL AS name, "
          + "NULL AS device_name, '7' AS seed, 1 AS steps, '2000-01-01T00:00:00.000000Z' AS started, "
          + "0 AS started_offset, NULL AS finished, NULL AS status"
      )
    )
    let line = chain.line(try event("paused"))
    #expect(line.hasPrefix(#"{"v":1,"event":"paused","time":"2000-01-01T00:00:01.000000Z""#))
    #expect(line.hasSuffix(#""attribute":"battery-level","value":7,"hex":"07"}"#))
  }
}
