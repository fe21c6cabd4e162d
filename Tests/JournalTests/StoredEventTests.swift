// What a journal has of an event, read back: also one that this version does not know.

import GRDB
import Testing

@testable import Journal

@Suite("Stored events")
struct StoredEventTests {
  private func row(_ sql: String) throws -> Row {
    try DatabaseQueue().read { try #require(try Row.fetchOne($0, sql: "SELECT \(sql)")) }
  }

  private func event(_ name: String) throws -> StoredEvent {
    StoredEvent(
      try row(
        "'\(name)', 3, '2000-01-01T00:00:01Z', 1000000, 1, '2', 'read', 'battery-level', "
          + "NULL, NULL, '7', '07', NULL"
      )
    )
  }

  @Test(
    "the name of each kind of event is read back as that kind",
    arguments: [
      ("run-started", StoredEvent.Kind.runStarted), ("step-started", .stepStarted),
      ("value", .value), ("gap", .gap), ("step-finished", .stepFinished),
      ("run-finished", .runFinished), ("paused", .unknown("paused")),
    ]
  )
  func kinds(name: String, kind: StoredEvent.Kind) throws {
    let event = try event(name)
    #expect(event.kind == kind)
    #expect(event.kind.name == name)
  }

  @Test("an unknown event is exported under its name with what it has, and not as a gap")
  func unknown() throws {
    let chain = ExportedChain(
      try row("1 AS chain, 'Thermo-1' AS device, '0123456789abcdef' AS identity")
    )
    let line = chain.line(try event("paused"))
    #expect(line.hasPrefix(#"{"v":1,"event":"paused","time":"2000-01-01T00:00:01Z""#))
    #expect(line.hasSuffix(#""attribute":"battery-level","value":7,"hex":"07"}"#))
  }
}
