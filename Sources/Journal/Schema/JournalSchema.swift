// The tables of a journal, by version. docs/journal.md documents them.
//
// A published migration is never changed; a new one is added.

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
    return migrator
  }

  /// What identifies a file as a journal: `PRAGMA application_id`, "bler" in ASCII.
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

  /// How many records of a run were lost because the journal could not be written for too long.
  private static let version4 = """
    ALTER TABLE runs ADD COLUMN lost INTEGER NOT NULL DEFAULT 0;

    PRAGMA user_version = 4;
    """

  /// A checksum for each record; null for those of earlier versions.
  private static let version5 =
    JournalTable.all.map { "ALTER TABLE \($0.name) ADD COLUMN checksum INTEGER;\n" }.joined()
    + "PRAGMA user_version = 5;"
}
