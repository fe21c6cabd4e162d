// Exporting a run: as the lines that it printed, and as a table.

import Documents
import GRDB
import RunEvents

extension JournalFile {
  /// The chains of a run as the JSON lines that `--output json` printed, see docs/json.md.
  ///
  /// The digits that a user types while pairing are not included: no journal has them.
  ///
  /// - Parameter line: Receives one line after the other; an error that it throws ends the export.
  /// - Returns: Whether the run exists.
  public func exportJSON(
    _ run: Int64, _ line: (String) throws -> Void
  ) throws(JournalFailure) -> Bool {
    try exportLines(run) { try line($0.text) }
  }

  func exportLines(
    _ run: Int64, _ line: (EventLine) throws -> Void
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
    _ run: Int64, _ line: (String) throws -> Void
  ) throws(JournalFailure) -> Bool {
    var hasHead = false
    return try export(run) { database, chain in
      if !hasHead { try line(ValueTable.head) }
      hasHead = true
      let events = try StoredEvent.cursor(of: chain.number, run: run, in: database)
      while let event = try events.next() {
        for row in ValueTable.rows(of: event, chain, run: run) { try line(row) }
      }
    }
  }

  private func export(
    _ run: Int64, _ export: (Database, ExportedChain) throws -> Void
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
    SELECT c.*, json(e.error) AS error, \(ChainSummary.warnings),
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
    let warnings: Int
    let error: JSONValue?

    /// Reads the end of a chain; nil for a chain without a recorded end.
    init?(_ row: StoredRow) throws(StoredRow.Unexpected) {
      guard let time = try row.optionalTime("finished"),
        let status = try row.optionalText("status")
      else { return nil }
      self.time = time
      self.status = status
      offset = try row.offset("finished_offset")
      attempts = try row.ordinal("attempts")
      exitStatus = try row.exitStatus("exit_status").map { Int($0) } ?? 0
      warnings = try row.ordinal("warnings")
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

  var startLine: EventLine {
    line(
      .runStarted,
      (started.time, started.offset, attempt: 1),
      [.init("seed", .number(seed)), .init("chain", name.json), .init("steps", steps.json)]
    )
  }

  /// The line for the end of the chain; nil for a chain without a recorded end.
  var endLine: EventLine? {
    end.map { end in
      line(
        .runFinished,
        (end.time, end.offset, end.attempts),
        JSONValue.members([
          "status": end.status.json, "exitStatus": end.exitStatus.json,
          "warnings": end.warnings > 0 ? end.warnings.json : nil, "error": end.error,
        ])
      )
    }
  }

  func line(_ event: StoredEvent) -> EventLine {
    let step = JSONValue.members([
      "step": event.position?.json, "name": event.name?.json, "operation": event.operation?.json,
      "attribute": event.attribute?.json, "written": event.written?.json,
      "stream": event.isUnusualStream ? true.json : nil, "status": event.status?.json,
    ])
    var result: JSONMembers = []
    if event.kind == .value {
      result = JSONValue.members(["value": event.json, "hex": event.hex?.json])
      if case .object(let members)? = event.details { result += members }
    } else if case .object(let members)? = event.json {
      result = members
    }
    // Earlier versions stored no problem of a value. It is derived from the bytes.
    if event.json == .null, event.details == nil, let hex = event.hex,
      let problem = event.attribute.flatMap({ StepValue.problem(hex: hex, attribute: $0) })
    {
      result.append(.init("problem", problem.json))
    }
    return line(
      event.kind,
      (event.time, event.offset, event.attempt),
      step + result + JSONValue.members(["error": event.error])
    )
  }

  private func line(
    _ name: EventLine.Name, _ moment: (time: String, offset: Int64, attempt: Int),
    _ members: JSONMembers
  ) -> EventLine {
    let others = JSONValue.members([
      "deviceName": deviceName?.json, "attempt": moment.attempt > 1 ? moment.attempt.json : nil,
    ])
    return EventLine(
      name.rawValue,
      [
        "time": moment.time, "offset": Duration.microseconds(moment.offset), "run": identity,
        "device": device,
      ],
      and: others + members
    )
  }
}
