// Pruning old runs from a journal.

import GRDB

extension JournalFile {
  /// Prunes runs, oldest first, and returns their space to the disk.
  ///
  /// Each run is deleted in a transaction of its own. A run that has not ended is kept while its
  /// process is alive.
  ///
  /// - Parameter isUnderWay: Whether the process with this owner text is alive.
  /// - Throws: ``JournalFailure``.
  public func prune(
    _ retention: Retention, isUnderWay: (String) -> Bool
  ) throws(JournalFailure) -> Pruned {
    let runs = try read { database in
      try database.rows(
        """
        SELECT run, owner, finished IS NULL AS is_open,
          coalesce(finished, (SELECT max(coalesce(c.finished, c.started)) FROM chains c
                              WHERE c.run = runs.run), started) AS last
        FROM runs ORDER BY run
        """
      ).map { row in
        (
          run: try row.integer("run"), owner: try row.optionalText("owner"),
          isOpen: try row.boolean("is_open"), last: try row.time("last")
        )
      }
    }
    var pruned: [Int64] = []
    for (run, owner, isOpen, last) in runs {
      if run == retention.sparing { continue }
      if isOpen, let owner, isUnderWay(owner) { continue }
      let isOld = retention.from.map { last < $0 } ?? false
      let used = try usedOctets()
      guard isOld || (retention.mostOctets.map { used > $0 } ?? false) else { continue }
      try write { try $0.execute(sql: "DELETE FROM runs WHERE run = ?", arguments: [run]) }
      pruned.append(run)
    }
    let values =
      try retention.valuesFrom.map { time throws(JournalFailure) in
        try pruneValues(before: time)
      } ?? 0
    if !pruned.isEmpty || values > 0 { try returnFreePages() }
    return Pruned(runs: pruned, values: values, octets: try octets())
  }

  /// Deletes the values before a time of runs that have ended. Their minutes are kept.
  private func pruneValues(before time: String) throws(JournalFailure) -> Int {
    try write { database in
      try database.addRollups(ofSinglesBefore: time)
      try database.execute(
        sql: """
          DELETE FROM step_values
          WHERE time < ? AND run IN (SELECT run FROM runs WHERE finished IS NOT NULL)
          """,
        arguments: [time]
      )
      return database.changesCount
    }
  }

  /// The octets of the pages in use.
  private func usedOctets() throws(JournalFailure) -> Int {
    try read { database in
      let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
      let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
      return (pages - free) * (try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
    }
  }

  /// The size of the file in octets, without the files beside it.
  public func octets() throws(JournalFailure) -> Int {
    try read { database in
      let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
      return pages * (try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
    }
  }

  private func returnFreePages() throws(JournalFailure) {
    do {
      try database.writeWithoutTransaction { database in
        // Each row that is read frees a page.
        _ = try Row.fetchAll(database, sql: "PRAGMA incremental_vacuum")
        _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      }
    } catch {
      throw JournalFailure(error, path: path)
    }
  }
}
