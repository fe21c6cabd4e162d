// A journal on the disk: opening it, creating it where it is missing, migrating its tables.
//
// Writing is in Recording, reading in Reading.

import Documents
import GRDB
import Glibc

/// An open journal.
///
/// Committed records survive the death of the program. Several programs may write to one journal,
/// in turn. A journal is one file, with `-wal` and `-shm` beside it while it is open.
public final class JournalFile: Sendable {
  /// When results are committed, and the faults that a commit survives.
  public enum Sync: String, CaseIterable, Sendable {
    /// As ``normal``, with the results of steps committed within half a second.
    case relaxed
    /// The end of the program, at any point. Loss of power may lose the last commits.
    case normal
    /// Loss of power, too: each commit waits for the disk.
    case full
  }

  /// How long a commit waits for other programs that write.
  public static let wait = Duration.seconds(2)

  public let path: String
  let sync: Sync
  let database: DatabaseQueue

  /// Opens a journal for writing. A missing one is created, readable by this user only.
  ///
  /// - Parameter makesFolder: Whether a missing folder is created, too.
  /// - Throws: ``JournalFailure``. A file that is not a journal is not changed.
  public convenience init(
    writing path: String, sync: Sync = .normal, makesFolder: Bool = true
  ) throws(JournalFailure) {
    if makesFolder { try Self.makeFolder(of: path, sync) }
    try Self.make(path)
    try self.init(path, sync, isReadOnly: false)
    do {
      try database.writeWithoutTransaction { database in
        try Self.setUp(database, sync, isNew: try Self.check(database, path))
      }
      try migrate()
    } catch {
      throw JournalFailure(error, path: path)
    }
  }

  /// Opens an existing journal for writing. A missing one is not created.
  ///
  /// - Throws: ``JournalFailure``.
  public convenience init(existing path: String, sync: Sync = .normal) throws(JournalFailure) {
    try Self.checkExists(path)
    try self.init(writing: path, sync: sync)
  }

  /// Acquires the threads and descriptors that a journal needs, before other threads of the process
  /// open descriptors. For a program that opens its journals later. A shortage is reported when a
  /// journal is opened.
  package static func prepareProcess() { try? QueueThreads.start(for: "") }

  /// Checks that the file exists and may be a journal, because opening must not make one of it.
  static func checkExists(_ path: String) throws(JournalFailure) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      let (isMissing, reason) = (
        errno == ENOENT || errno == ENOTDIR, String(cString: strerror(errno))
      )
      throw JournalFailure(isMissing ? .missing : .notReadable, path: path, reason: reason)
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw JournalFailure(.notAJournal, path: path, reason: String(cString: strerror(EISDIR)))
    }
    guard status.st_size > 0 else { throw .empty(path) }
  }

  private convenience init(
    _ path: String, _ sync: Sync = .normal, isReadOnly: Bool
  ) throws(JournalFailure) {
    do {
      self.init(path, try Self.connection(path, isReadOnly: isReadOnly), sync)
    } catch {
      throw JournalFailure(error, path: path)
    }
  }

  init(_ path: String, _ database: DatabaseQueue, _ sync: Sync = .normal) {
    self.path = path
    self.sync = sync
    self.database = database
  }

  /// A connection to a database.
  ///
  /// - Parameter name: The path or a URI.
  static func connection(_ name: String, isReadOnly: Bool) throws -> DatabaseQueue {
    try QueueThreads.start(for: name)
    var configuration = Configuration()
    configuration.label = "journal"
    configuration.readonly = isReadOnly
    configuration.busyMode = .timeout(Double(Self.wait.components.seconds))
    configuration.prepareDatabase { try prepare($0) }
    return try DatabaseQueue(path: name, configuration: configuration)
  }

  /// Sets up a connection to a file that may be damaged, or made by another program.
  ///
  /// `trusted_schema` stays on: SQLite 3.40 refuses `json_extract` in generated columns without it.
  /// The definitions are compared instead, see ``TableShape``.
  ///
  /// - Source: SQLite, "Defense Against The Dark Arts"; https://sqlite.org/security.html
  static func prepare(_ database: Database) throws {
    database.add(function: RecordChecksum.function)
    try database.execute(sql: "PRAGMA cell_size_check = ON")
  }

  private static func makeFolder(of path: String, _ sync: Sync) throws(JournalFailure) {
    // If a loss of power removed the folder, the journal would be lost with it.
    if let number = Folder.make(of: path, isDurable: sync == .full) { throw failure(path, number) }
  }

  /// Creates an empty file that only this user may read.
  private static func make(_ path: String) throws(JournalFailure) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(path, errno) }
    Glibc.close(descriptor)
  }

  private static func failure(_ path: String, _ number: Int32) -> JournalFailure {
    let kind: JournalFailure.Kind =
      switch number {
      case ENOSPC, EDQUOT: .full
      case EACCES, EPERM, EROFS: .notPermitted
      case ENOENT, ENOTDIR, EISDIR, ENAMETOOLONG: .noPlace
      default: .system
      }
    return JournalFailure(kind, path: path, reason: String(cString: strerror(number)))
  }

  /// Checks that the file is empty, or a journal of a known version.
  ///
  /// - Returns: Whether it is empty.
  static func check(_ database: Database, _ path: String) throws -> Bool {
    let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
    guard tables > 0 else { return true }
    let identifier = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    guard identifier == JournalSchema.applicationID else {
      let reason = "it is a database of another program"
      throw JournalFailure(.notAJournal, path: path, reason: reason)
    }
    let shape = try TableShape(of: database)
    guard !shape.isNewer else {
      let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
      throw JournalFailure(.newer, path: path, reason: "its tables are of version \(version)")
    }
    if let difference = try shape.difference() {
      throw JournalFailure(.damaged, path: path, reason: difference)
    }
    return false
  }

  private static func setUp(_ database: Database, _ sync: Sync, isNew: Bool) throws {
    // Lets pruning return deleted pages to the disk.
    if isNew { try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
    var mode: String?
    // Two programs may set it up at once: the second is refused at once, and then waits its turn.
    for _ in 0..<4 where mode != "wal" {
      mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
      if mode != "wal" { try database.inTransaction(.immediate) { .commit } }
    }
    let level = sync == .full ? "FULL" : "NORMAL"
    try database.execute(sql: "PRAGMA synchronous = \(level)")
  }

  private func migrate() throws {
    let migrator = JournalSchema.migrator
    guard try !database.read({ try migrator.hasCompletedMigrations($0) }) else { return }
    do {
      try database.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA application_id = \(JournalSchema.applicationID)")
      }
      try migrator.migrate(database)
    } catch {
      // Another program may have migrated it at the same time.
      guard try database.read({ try migrator.hasCompletedMigrations($0) }) else { throw error }
    }
  }

  /// Closes the journal. When the last program closes it, a single file is left.
  public func close() {
    // On failure, the end of the program closes it.
    try? database.close()
  }

  /// Sets how long commits wait for other programs.
  func setWait(_ wait: Duration) {
    let milliseconds = wait.components.seconds * 1000
    // On failure, the former wait stays.
    try? database.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA busy_timeout = \(milliseconds)")
    }
  }

  /// Reads in a single transaction.
  func read<R>(_ body: (Database) throws -> R) throws(JournalFailure) -> R {
    do {
      return try database.read(body)
    } catch {
      throw JournalFailure(error, path: path)
    }
  }

  /// Writes in a single transaction, committed when this returns.
  func write<R>(_ body: (Database) throws -> R) throws(JournalFailure) -> R {
    do {
      return try database.writeWithoutTransaction { database in
        try database.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
        do {
          let result = try body(database)
          try database.cachedStatement(sql: "COMMIT").execute()
          return result
        } catch {
          // SQLite may have rolled it back by itself.
          if database.isInsideTransaction { try database.rollback() }
          throw error
        }
      }
    } catch {
      throw JournalFailure(error, path: path)
    }
  }
}
