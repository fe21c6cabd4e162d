// Exporting a run: as the lines that it printed, and as a table.

import GRDB
import Jobs

extension JournalFile {
  /// The chains of a run as the JSON lines that `--output json` printed, see docs/json.md.
  ///
  /// The digits that a user types while pairing are not included: no journal has them.
  ///
  /// - Parameter line: Receives one line after the other; an error that it throws ends the export.
  /// - Returns: Whether the run exists.
  public func exportJSON(
    _ run: Int64,
    _ line: (String) throws -> Void
  ) throws(JournalFailure) -> Bool {
    try export(run) { database, chain in
      try line(chain.startLine)
      let events = try StoredEvent.cursor(of: chain.number, run: run, in: database)
      while let event = try events.next() { try line(chain.line(event)) }
      if let end = chain.endLine { try line(end) }
    }
  }

  /// A run as CSV (RFC 4180): a header, then a row for each field of each value, each gap, and each
  /// end of a step.
  ///
  /// - Parameter line: Receives one line after the other; an error that it throws ends the export.
  /// - Returns: Whether the run exists.
  public func exportCSV(
    _ run: Int64,
    _ line: (String) throws -> Void
  ) throws(JournalFailure) -> Bool {
    var hasHead = false
    return try export(run) { database, chain in
      if !hasHead { try line(ValueTable.head) }
      hasHead = true
      let events = try StoredEvent.cursor(of: chain.number, run: run, in: database)
      while let event = try events.next() {
        for row in try ValueTable.rows(of: event, chain, run: run, database) { try line(row) }
      }
    }
  }

  private func export(
    _ run: Int64,
    _ export: (Database, ExportedChain) throws -> Void
  ) throws(JournalFailure) -> Bool {
    try read { database in
      let exists = "SELECT 1 FROM runs WHERE run = ?"
      guard try Int.fetchOne(database, sql: exists, arguments: [run]) != nil else { return false }
      for row in try database.rows(ExportedChain.query, [run]) {
        try export(database, ExportedChain(row))
      }
      return true
    }
  }
}

/// A chain whose events are exported.
struct ExportedChain {
  static let query = """
    SELECT c.*, json(e.error) AS error,
      (SELECT d.name FROM batch_devices d WHERE d.run = c.run AND d.device = c.device LIMIT 1)
        AS device_name
    FROM chains c LEFT JOIN errors e
      ON e.run = c.run AND e.chain = c.chain AND e.event = c.finished_event
    WHERE c.run = ? ORDER BY c.chain
    """

  let number: Int
  let device: String
  /// The name of a device that a scan of a batch found; nil for others.
  let deviceName: String?
  private let identity: String
  private let name: String?
  private let seed: String
  private let steps: Int
  private let started: (time: String, offset: Int64)
  private let end: End?

  /// The recorded end of a chain.
  private struct End {
    let time: String
    let offset: Int64
    let attempts: Int
    let status: String
    let exitStatus: Int
    /// JSON.
    let error: String?

    /// Nil for a chain without a recorded end.
    init?(_ row: StoredRow) throws(StoredRow.Unexpected) {
      guard let time = try row.optionalTime("finished"),
        let status = try row.optionalText("status")
      else { return nil }
      self.time = time
      self.status = status
      offset = try row.offset("finished_offset")
      attempts = try row.ordinal("attempts")
      exitStatus = try row.exitStatus("exit_status").map { Int($0) } ?? 0
      error = try row.jsonObject("error")
    }
  }

  init(_ row: StoredRow) throws(StoredRow.Unexpected) {
    number = try row.ordinal("chain")
    device = try row.text("device")
    deviceName = try row.optionalText("device_name")
    identity = try row.text("identity")
    name = try row.optionalText("name")
    seed = try row.seed("seed")
    steps = try row.ordinal("steps")
    started = (try row.time("started"), try row.offset("started_offset"))
    end = try End(row)
  }

  var startLine: String {
    let start = head(.runStarted, time: started.time, offset: started.offset, attempt: 1)
    return text(
      start + [
        ("seed", .number(seed)), ("chain", name.map { .string($0) } ?? .null),
        ("steps", JSONValue(steps)),
      ]
    )
  }

  /// The line for the end of the chain; nil for a chain without a recorded end.
  var endLine: String? {
    guard let end else { return nil }
    let members = head(.runFinished, time: end.time, offset: end.offset, attempt: end.attempts)
    return text(
      members + [("status", .string(end.status)), ("exitStatus", JSONValue(end.exitStatus))]
        + Self.member("error", end.error)
    )
  }

  func line(_ event: StoredEvent) -> String {
    var members = head(
      event.kind,
      time: event.time,
      offset: event.offset,
      attempt: event.attempt
    )
    members += Self.string("step", event.position) + Self.string("name", event.name)
    members += Self.string("operation", event.operation)
    members += Self.string("attribute", event.attribute) + Self.string("written", event.written)
    members += Self.string("status", event.status)
    switch event.kind {
    case .value, .unknown: members += Self.member("value", event.text)
    case .gap, .note, .stepFinished: return text(members, then: event.text, event.error)
    case .runStarted, .stepStarted, .runFinished: break
    }
    members += Self.string("hex", event.hex)
    // What is not stored follows from the bytes.
    if event.text == "null", let hex = event.hex, let attribute = event.attribute {
      members += Self.string("problem", StepValue.problem(hex: hex, attribute: attribute))
    }
    return text(members)
  }

  private func head(
    _ kind: StoredEvent.Kind,
    time: String,
    offset: Int64,
    attempt: Int
  ) -> [(key: String, value: JSONValue)] {
    var members: [(key: String, value: JSONValue)] = [
      ("v", JSONValue(JSONLinesReport.version)), ("event", .string(kind.name)),
      ("time", .string(time)), ("offset", .number(Duration.microseconds(offset).decimalSeconds)),
      ("run", .string(identity)), ("device", .string(device)),
    ]
    members += Self.string("deviceName", deviceName)
    if attempt > 1 { members.append(("attempt", JSONValue(attempt))) }
    return members
  }

  private static func string(_ key: String, _ text: String?) -> [(key: String, value: JSONValue)] {
    text.map { [(key, .string($0))] } ?? []
  }

  /// A member whose value is JSON text already.
  private static func member(_ key: String, _ json: String?) -> [(key: String, value: JSONValue)] {
    json.map { [(key, .number($0))] } ?? []
  }

  /// - Parameter object: The JSON text of an object whose members follow.
  private func text(
    _ members: [(key: String, value: JSONValue)],
    then object: String? = nil,
    _ error: String? = nil
  ) -> String {
    var text = JSONValue.object(members).text
    if let object, object.utf8.count > 2 {
      text = text.dropLast() + "," + object.dropFirst()
    }
    if let error { text = text.dropLast() + ",\"error\":\(error)}" }
    return text
  }
}
