// The columns of each table, and the statements that write and check its records.
//
// The tables themselves are in JournalSchema.

/// A table of the journal. Each of its records has a checksum, in the column `checksum`.
struct JournalTable: Sendable {
  let name: String
  /// The columns that identify a record, which come first.
  let key: [String]
  /// All columns but the checksum, in the order in which it covers them.
  let columns: [String]
  /// Adds a record with its checksum. It takes a value for each column.
  let insert: String
  /// Updates the checksum of a record. It takes the key.
  let seal: String
  /// Updates the checksum, unless the record was made before there were checksums.
  let reseal: String
  /// Selects the keys of damaged records: their checksum is wrong or missing. In a run recorded
  /// before there were checksums, it may be missing.
  let broken: String

  /// - Parameter isRepeatable: Whether adding a record that exists already leaves it as it is.
  private init(_ name: String, key: [String], _ others: [String], isRepeatable: Bool = true) {
    self.name = name
    self.key = key
    columns = key + others
    let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
    let places = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    let isIt = key.map { "\($0) = ?" }.joined(separator: " AND ")
    let checksum = "\(RecordChecksum.name)('\(name)', \(names))"
    insert = """
      INSERT \(isRepeatable ? "OR IGNORE " : "")INTO \(name) (\(names), checksum)
      VALUES (\(places), \(RecordChecksum.name)('\(name)', \(places)))
      """
    seal = "UPDATE \(name) SET checksum = \(checksum) WHERE \(isIt)"
    reseal = "\(seal) AND checksum IS NOT NULL"
    let text = "'' || " + key.joined(separator: " || ', ' || ")
    broken = """
      SELECT \(text) AS record, checksum IS NULL AS is_bare FROM \(name)
      WHERE checksum IS NOT \(checksum)
        AND (checksum IS NOT NULL OR run IN (SELECT run FROM runs WHERE checksum IS NOT NULL))
      LIMIT 20
      """
  }

  static let runs = JournalTable(
    "runs", key: ["run"],
    [
      "identity", "command", "definition", "seed", "simulated", "owner", "version", "started",
      "finished", "exit_status", "lost",
    ],
    isRepeatable: false
  )
  static let chains = JournalTable(
    "chains", key: ["run", "chain"],
    [
      "device", "name", "identity", "seed", "steps", "started", "started_offset", "finished",
      "finished_offset", "finished_event", "status", "exit_status", "attempts", "done",
    ]
  )
  static let steps = JournalTable(
    "steps", key: ["run", "chain", "step"],
    [
      "attempt", "position", "operation", "attribute", "written", "started", "started_offset",
      "started_event", "finished", "finished_offset", "finished_event", "took", "status", "result",
    ]
  )
  static let values = JournalTable(
    "step_values", key: ["run", "chain", "event"], ["step", "time", "offset", "value", "hex"]
  )
  static let errors = JournalTable("errors", key: ["run", "chain", "event"], ["step", "error"])
  static let gaps = JournalTable(
    "gaps", key: ["run", "chain", "event"], ["step", "time", "offset", "gap"]
  )
  static let batches = JournalTable(
    "batches", key: ["run"], ["file", "name", "digest", "round"], isRepeatable: false
  )
  static let batchDevices = JournalTable(
    "batch_devices", key: ["run", "place"], ["device", "name"])
  static let resumptions = JournalTable(
    "resumptions", key: ["run", "resumption"], ["chain", "owner", "version", "started"],
    isRepeatable: false
  )

  static let rollups = JournalTable(
    "rollups", key: ["run", "chain", "step", "minute", "field"],
    ["minimum", "maximum", "total", "count"]
  )

  static let remarks = JournalTable(
    "remarks", key: ["run", "chain", "event"], ["attempt", "time", "offset", "kind", "remark"]
  )

  /// The tables that got checksums with version 5.
  static let ofVersion5 = [
    runs, chains, steps, values, errors, gaps, batches, batchDevices, resumptions,
  ]
  static let all = ofVersion5 + [rollups, remarks]
}
