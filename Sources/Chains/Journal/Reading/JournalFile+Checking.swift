// Checks a journal for damage.

import GRDB

/// The result of checking a journal.
public struct JournalCheck: Hashable, Sendable {
  /// The damage, one problem a line; at most 20 of each kind.
  public let problems: [String]
  /// The runs that an earlier version recorded, without checksums, in order.
  public let unchecked: [Int64]

  /// Whether everything could be checked, and nothing is damaged.
  public var isComplete: Bool { problems.isEmpty && unchecked.isEmpty }
}

extension JournalFile {
  /// Checks every page, the references between tables, the definitions of the tables, and each
  /// record against its checksum. Records without checksums are checked to be readable.
  ///
  /// It does not find records that have left no trace, such as commits in a damaged `-wal` file.
  ///
  /// - Throws: ``JournalFailure`` when the check itself fails.
  public func check() throws(JournalFailure) -> JournalCheck {
    let pages = try read { try Self.pageProblems($0) }
    // On damaged pages, nothing else is certain.
    guard pages.isEmpty else { return JournalCheck(problems: pages, unchecked: []) }
    let (records, unchecked) = try read { database in
      (
        try Self.recordProblems(database),
        try database.rows("SELECT run FROM runs WHERE checksum IS NULL ORDER BY run")
          .map { try $0.integer("run") }
      )
    }
    let unreadable = unchecked.lazy.compactMap { self.readingProblem($0) }.prefix(20)
    return JournalCheck(problems: records + unreadable, unchecked: unchecked)
  }

  private static func pageProblems(_ database: Database) throws -> [String] {
    let pages = try database.rows("PRAGMA integrity_check(20)").map {
      try $0.text("integrity_check")
    }.filter { $0 != "ok" }
    let references = try database.rows("PRAGMA foreign_key_check").prefix(20).map {
      "a record of \(try $0.text("table")) refers to a missing record"
    }
    return pages + references
  }

  private static func recordProblems(_ database: Database) throws -> [String] {
    var problems: [String] = []
    if let difference = try TableShape(of: database).difference() { problems.append(difference) }
    let version = try database.row("PRAGMA user_version")?.integer("user_version")
    if version != Int64(JournalSchema.migrator.migrations.count) {
      problems.append("the version number does not match the tables")
    }
    for table in JournalTables.all {
      problems += try database.rows(table.broken).map { row in
        let record = "the record \(try row.text("record")) of \(table.name)"
        return try row.boolean("is_bare")
          ? "\(record) has no checksum" : "\(record) does not match its checksum"
      }
    }
    // A run of an earlier version has records with checksums only if it was resumed.
    problems += try database.rows(
      """
      SELECT run FROM runs
      WHERE checksum IS NULL AND run NOT IN (SELECT run FROM resumptions)
        AND run IN (SELECT run FROM chains WHERE checksum IS NOT NULL)
      LIMIT 20
      """
    ).map { "the record \(try $0.integer("run")) of runs has no checksum" }
    let numbers = """
      SELECT coalesce(max(run), 0) > (SELECT coalesce(max(seq), 0) FROM sqlite_sequence
                                      WHERE name = 'runs') AS is_behind FROM runs
      """
    if try database.row(numbers)?.boolean("is_behind") == true {
      problems.append("the number of the next run is already in use")
    }
    return problems
  }

  /// The reason why a run cannot be read; nil if it can.
  private func readingProblem(_ run: Int64) -> String? {
    do throws(JournalFailure) {
      _ = try self.run(run)
      _ = try exportJSON(run) { _ in }
      return nil
    } catch {
      return "run \(run): \(error.reason)"
    }
  }
}
