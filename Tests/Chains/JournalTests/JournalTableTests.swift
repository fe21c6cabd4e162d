// The tables as values: their statements, their columns in files, and columns that are added.

import Fixtures
import Foundation
import GRDB
import Testing

@testable import Journal

@Suite("The tables of the journal")
struct JournalTableTests {
  private let bench: JournalBench

  init() throws { bench = try JournalBench() }

  private func journal(version: Int) throws -> String {
    let path = bench.folder.path + "/version-\(version).sqlite"
    try FileManager.default.copyItem(
      atPath: projectFolder + "/Tests/Golden/journals/version-\(version).sqlite", toPath: path
    )
    return path
  }

  @Test("the statements are those of version 8")
  func statements() {
    let values = JournalTables.values.definition
    let names = #""run", "chain", "event", "step", "time", "offset", "value", "hex", "details""#
    #expect(
      values.insert
        == "INSERT OR IGNORE INTO step_values (\(names), checksum)\n"
        + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    )
    let checksum = "record_checksum('step_values', \(names))"
    let isIt = "run = ? AND chain = ? AND event = ?"
    #expect(values.seal == "UPDATE step_values SET checksum = \(checksum) WHERE \(isIt)")
    #expect(values.reseal == "\(values.seal) AND checksum IS NOT NULL")
    #expect(
      values.broken == """
        SELECT '' || run || ', ' || chain || ', ' || event AS record, checksum IS NULL AS is_bare \
        FROM step_values
        WHERE checksum IS NOT \(checksum)
          AND (checksum IS NOT NULL OR run IN (SELECT run FROM runs WHERE checksum IS NOT NULL))
        LIMIT 20
        """
    )
    #expect(
      JournalTables.steps.definition.update == """
        UPDATE steps SET "finished" = ?, "finished_offset" = ?, "finished_event" = ?, "took" = ?, \
        "status" = ?, "result" = ? WHERE run = ? AND chain = ? AND step = ?
        """
    )
    let isRepeatable = JournalTables.all.filter { $0.insert.hasPrefix("INSERT OR IGNORE") }
    #expect(
      isRepeatable.map(\.name) == [
        "chains", "steps", "step_values", "errors", "gaps", "batch_devices", "rollups", "remarks",
      ]
    )
  }

  /// The columns of version 7, in the order in which their checksums cover them.
  private static let orders: [(name: String, columns: String)] = [
    (
      "runs",
      """
      run identity command definition seed simulated owner version started finished exit_status lost
      """
    ),
    (
      "chains",
      """
      run chain device name identity seed steps started started_offset finished finished_offset \
      finished_event status exit_status attempts done
      """
    ),
    (
      "steps",
      """
      run chain step attempt position operation attribute written started started_offset \
      started_event finished finished_offset finished_event took status result
      """
    ),
    ("step_values", "run chain event step time offset value hex"),
    ("errors", "run chain event step error"),
    ("gaps", "run chain event step time offset gap"),
    ("batches", "run file name digest round"),
    ("batch_devices", "run place device name"),
    ("resumptions", "run resumption chain owner version started"),
    ("rollups", "run chain step minute field minimum maximum total count"),
    ("remarks", "run chain event attempt time offset kind remark"),
  ]

  @Test("the columns of version 7 keep their order, which their checksums cover")
  func order() {
    #expect(JournalTables.all.map(\.name) == Self.orders.map(\.name))
    for (table, order) in zip(JournalTables.all, Self.orders) {
      let old = table.columns.filter { ($0.since ?? 0) <= 7 }
      #expect(old.map(\.name).joined(separator: " ") == order.columns)
    }
  }

  @Test("a file has the columns of the tables, with their types", arguments: [4, 5, 6, 7])
  func columns(version: Int) throws {
    let file = try JournalFile(writing: journal(version: version))
    for table in JournalTables.all {
      let rows = try file.read { try $0.rows("PRAGMA table_info(\(table.name))") }
      let found = try rows.map { "\(try $0.text("name")) \(try $0.text("type"))" }
      let columns = table.columns.map { "\($0.name) \($0.type)" } + ["checksum INTEGER"]
      #expect(Set(found) == Set(columns) && found.count == columns.count, "\(table.name)")
    }
  }

  @Test("a journal of each version is continued", arguments: [4, 5, 6, 7])
  func continued(version: Int) throws {
    let file = try JournalFile(writing: journal(version: version))
    let before = try file.runs()
    let run = try #require(try bench.run([72, 73], in: file))
    let runs = try file.runs()
    #expect(!before.isEmpty && runs.count == before.count + 1)
    #expect(Array(runs.dropFirst()) == before)
    let added = try #require(runs.first)
    #expect(added.run == run && added.chains.map(\.values) == [1, 1])
    #expect(try file.check().problems == [])
  }

  /// Devices of a batch, with a further column since version 8.
  private static let extended = JournalTable<JournalTables.Member, Never>(
    "batch_devices", "a device", key: [.run(), .column("place") { $0.place }],
    [
      .column("device") { $0.member.device }, .column("name") { $0.member.name },
      .column("rssi", "when it was found", since: 8) { -10 * $0.place },
    ]
  )

  @Test("a column is added by its line: its migration keeps what is damaged, and repairs nothing")
  func added() throws {
    let table = Self.extended.definition
    #expect(JournalSchema.addedVersions(in: [table]) == 8..<9)
    let file = try JournalFile(writing: bench.path)
    let run = try #require(try bench.run(in: file))
    try file.write { database in
      let origin = BatchOrigin(file: "/fleet.yaml", name: nil, digest: "1", round: 1)
      try database.insert(origin, run: run)
      let members = ["a", "b"].map { BatchMember(device: $0, name: nil) }
      try database.insert(members, run: run)
      try database.execute(sql: "UPDATE batch_devices SET device = 'c' WHERE place = 2")
      try database.execute(sql: JournalSchema.migration(to: 8, of: [table]))
      let member = BatchMember(device: "d", name: "D")
      try database.insert((3, member), in: Self.extended, at: RecordPlace(run: run))
    }
    let (broken, found) = try file.read { database in
      (
        try database.rows(table.broken).map { try $0.text("record") },
        try database.rows("SELECT rssi FROM batch_devices ORDER BY place")
          .map { try $0.optionalInteger("rssi") }
      )
    }
    #expect(broken == ["\(run), 2"])
    #expect(found == [nil, nil, -30])
    #expect(table.row.hasSuffix("`name`, `rssi` (when it was found) |"))
  }

  @Test("docs/journal.md lists every table and column; UPDATE_GENERATED=1 writes the table")
  func page() throws {
    let page = URL(filePath: projectFolder).appending(path: "docs/journal.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let (begin, end) = ("<!-- table journal -->\n", "<!-- end -->")
    let parts = text.components(separatedBy: begin)
    try #require(parts.count == 2)
    let rest = try #require(parts[1].range(of: end))
    let rows = ["| table | a row is | columns |", "|---|---|---|"] + JournalTables.all.map(\.row)
    let table = rows.joined(separator: "\n")
    let made = parts[0] + begin + "\n" + table + "\n\n" + parts[1][rest.lowerBound...]
    if ProcessInfo.processInfo.environment["UPDATE_GENERATED"] != nil {
      try made.write(to: page, atomically: true, encoding: .utf8)
    }
    #expect(made == text, "the table differs from JournalTables")
  }
}
