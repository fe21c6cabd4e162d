// The tables of a journal, by version. docs/journal.md documents them.
//
// A published migration is never changed; a new one is added. Those that only add columns are made
// of JournalTables.

import GRDB

/// The tables of a journal, and the migrations from older versions.
enum JournalSchema {
  /// The migrations, oldest first. Each is one transaction.
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { try $0.execute(sql: version1) }
    migrator.registerMigration("2") { try $0.execute(sql: version2) }
    migrator.registerMigration("3") { try $0.execute(sql: version3) }
    migrator.registerMigration("4") { try $0.execute(sql: version4) }
    migrator.registerMigration("5") { try $0.execute(sql: version5) }
    migrator.registerMigration("6") { try $0.execute(sql: version6) }
    migrator.registerMigration("7") { try $0.execute(sql: version7) }
    for version in addedVersions(in: JournalTables.all) {
      migrator.registerMigration("\(version)") {
        try $0.execute(sql: migration(to: version, of: JournalTables.all))
      }
    }
    return migrator
  }

  /// The versions after 7, each of which adds columns.
  static func addedVersions(in tables: [TableDefinition]) -> Range<Int> {
    let last = tables.flatMap(\.columns).compactMap(\.since).max()
    return 8..<max(8, (last ?? 0) + 1)
  }

  /// The statements of a version that adds columns.
  static func migration(to version: Int, of tables: [TableDefinition]) -> String {
    tables.map { $0.migration(to: version) }.joined() + "PRAGMA user_version = \(version);"
  }

  /// The `PRAGMA application_id` of a journal: "bler" in ASCII.
  static let applicationID = 0x626c_6572

  /// Runs, chains, steps, values, gaps and errors.
  ///
  /// Events are numbered within their chain, from 1, in the order in which they happened.
  private static let version1 = """
    CREATE TABLE runs (
      run INTEGER PRIMARY KEY AUTOINCREMENT,
      identity TEXT NOT NULL,
      command TEXT NOT NULL,
      definition TEXT NOT NULL,
      seed TEXT NOT NULL,
      simulated INTEGER NOT NULL,
      owner TEXT,
      version TEXT NOT NULL,
      started TEXT NOT NULL,
      finished TEXT,
      exit_status INTEGER
    ) STRICT;

    CREATE TABLE chains (
      run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
      chain INTEGER NOT NULL,
      device TEXT NOT NULL,
      name TEXT,
      identity TEXT NOT NULL,
      seed TEXT NOT NULL,
      steps INTEGER NOT NULL,
      started TEXT NOT NULL,
      started_offset INTEGER NOT NULL,
      finished TEXT,
      finished_offset INTEGER,
      finished_event INTEGER,
      status TEXT,
      exit_status INTEGER,
      attempts INTEGER,
      done INTEGER,
      PRIMARY KEY (run, chain)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE steps (
      run INTEGER NOT NULL,
      chain INTEGER NOT NULL,
      step INTEGER NOT NULL,
      attempt INTEGER NOT NULL,
      position TEXT NOT NULL,
      operation TEXT NOT NULL,
      attribute TEXT,
      written TEXT,
      started TEXT NOT NULL,
      started_offset INTEGER NOT NULL,
      started_event INTEGER NOT NULL,
      finished TEXT,
      finished_offset INTEGER,
      finished_event INTEGER,
      took INTEGER,
      status TEXT,
      result TEXT,
      PRIMARY KEY (run, chain, step),
      FOREIGN KEY (run, chain) REFERENCES chains ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE step_values (
      run INTEGER NOT NULL,
      chain INTEGER NOT NULL,
      event INTEGER NOT NULL,
      step INTEGER NOT NULL,
      time TEXT NOT NULL,
      "offset" INTEGER NOT NULL,
      value TEXT NOT NULL,
      hex TEXT,
      PRIMARY KEY (run, chain, event),
      FOREIGN KEY (run, chain) REFERENCES chains ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE errors (
      run INTEGER NOT NULL,
      chain INTEGER NOT NULL,
      event INTEGER NOT NULL,
      step INTEGER,
      error TEXT NOT NULL,
      code TEXT GENERATED ALWAYS AS (json_extract(error, '$.code')) VIRTUAL,
      class TEXT GENERATED ALWAYS AS (json_extract(error, '$.class')) VIRTUAL,
      message TEXT GENERATED ALWAYS AS (json_extract(error, '$.message')) VIRTUAL,
      PRIMARY KEY (run, chain, event),
      FOREIGN KEY (run, chain) REFERENCES chains ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE gaps (
      run INTEGER NOT NULL,
      chain INTEGER NOT NULL,
      event INTEGER NOT NULL,
      step INTEGER NOT NULL,
      time TEXT NOT NULL,
      "offset" INTEGER NOT NULL,
      gap TEXT NOT NULL,
      PRIMARY KEY (run, chain, event),
      FOREIGN KEY (run, chain) REFERENCES chains ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;

    PRAGMA user_version = 1;
    """

  /// An index that finds the runs of a device without reading all chains.
  private static let version2 = """
    CREATE INDEX chains_by_device ON chains (device, run);

    PRAGMA user_version = 2;
    """

  /// The batch and the devices of a run, and the processes that resumed it.
  private static let version3 = """
    CREATE TABLE batches (
      run INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
      file TEXT NOT NULL,
      name TEXT,
      digest TEXT NOT NULL,
      round INTEGER NOT NULL
    ) STRICT;

    CREATE INDEX batches_by_file ON batches (file, run);

    CREATE TABLE batch_devices (
      run INTEGER NOT NULL REFERENCES batches ON DELETE CASCADE,
      place INTEGER NOT NULL,
      device TEXT NOT NULL,
      name TEXT,
      PRIMARY KEY (run, place)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE resumptions (
      run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
      resumption INTEGER NOT NULL,
      chain INTEGER NOT NULL,
      owner TEXT,
      version TEXT NOT NULL,
      started TEXT NOT NULL,
      PRIMARY KEY (run, resumption)
    ) STRICT, WITHOUT ROWID;

    PRAGMA user_version = 3;
    """

  /// The number of a run's records that were lost because the journal could not be written for too
  /// long.
  private static let version4 = """
    ALTER TABLE runs ADD COLUMN lost INTEGER NOT NULL DEFAULT 0;

    PRAGMA user_version = 4;
    """

  /// A checksum for each record; null for those of earlier versions.
  private static let version5 =
    JournalTables.ofVersion5.map { "ALTER TABLE \($0.name) ADD COLUMN checksum INTEGER;\n" }
    .joined()
    + "PRAGMA user_version = 5;"

  /// The numbers of each minute, and indices that find values by device, characteristic and time.
  ///
  /// The indices also show that a page lost records: a checksum is only of a record that is there.
  ///
  /// The numbers of existing values are computed from them. A value with invalid JSON or an invalid
  /// time has none.
  private static let version6 = """
    CREATE TABLE rollups (
      run INTEGER NOT NULL,
      chain INTEGER NOT NULL,
      step INTEGER NOT NULL,
      minute INTEGER NOT NULL,
      field TEXT NOT NULL,
      minimum REAL NOT NULL,
      maximum REAL NOT NULL,
      total REAL NOT NULL,
      count INTEGER NOT NULL,
      checksum INTEGER,
      PRIMARY KEY (run, chain, step, minute, field),
      FOREIGN KEY (run, chain) REFERENCES chains ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX steps_by_attribute ON steps (attribute, run, chain);

    CREATE INDEX values_by_time ON step_values (run, chain, step, time);

    INSERT INTO rollups (run, chain, step, minute, field, minimum, maximum, total, count)
    SELECT v.run, v.chain, v.step, CAST(strftime('%s', v.time) AS INTEGER) / 60,
      ltrim(replace(j.fullkey, '"', ''), '$.'), min(CAST(j.atom AS REAL)),
      max(CAST(j.atom AS REAL)), total(CAST(j.atom AS REAL)), count(*)
    FROM step_values v
    JOIN json_tree(CASE WHEN json_valid(v.value) THEN v.value ELSE '{}' END) j
    WHERE j.type IN ('integer', 'real') AND instr(j.fullkey, '[') = 0
      AND strftime('%s', v.time) IS NOT NULL
    GROUP BY 1, 2, 3, 4, 5;

    UPDATE rollups SET checksum = record_checksum('rollups', run, chain, step, minute, field,
      minimum, maximum, total, count);

    PRAGMA user_version = 6;
    """

  /// Notes, which belong to no step. Builds before the first release also recorded messages of
  /// BlueZ and packets here, of other kinds; these are kept and not read.
  private static let version7 = """
    CREATE TABLE remarks (
      run INTEGER NOT NULL,
      chain INTEGER NOT NULL,
      event INTEGER NOT NULL,
      attempt INTEGER NOT NULL,
      time TEXT NOT NULL,
      "offset" INTEGER NOT NULL,
      kind TEXT NOT NULL,
      remark TEXT NOT NULL,
      checksum INTEGER,
      PRIMARY KEY (run, chain, event),
      FOREIGN KEY (run, chain) REFERENCES chains ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;

    PRAGMA user_version = 7;
    """
}
