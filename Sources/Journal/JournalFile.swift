// A journal on the disk: opened, made where it is missing, brought to the present tables.
//
// What is written is in Recording, what is read in Reading.

import GRDB
import Glibc

/// An open journal.
///
/// Whatever was committed survives the death of any program, and several may write to one journal:
/// they take turns. It is one file, with `-wal` and `-shm` beside it while it is open.
public final class JournalFile: Sendable {
  /// What a commit survives.
  public enum Sync: String, CaseIterable, Sendable {
    /// The end of the program, at any point. Loss of power may take the last moments.
    case normal
    /// Loss of power too: each commit waits for the disk.
    case full
  }

  /// How long a commit waits for other programs that write.
  public static let wait = Duration.seconds(2)

  public let path: String
  let database: DatabaseQueue

  /// Opens a journal for writing; makes it, for this user alone, where it is missing.
  ///
  /// - Throws: ``JournalFailure``. A file that is not a journal is left as it is.
  public convenience init(writing path: String, sync: Sync = .normal) throws(JournalFailure) {
    try Self.make(path, sync)
    try self.init(path, isReadOnly: false)
    do {
      try database.writeWithoutTransaction { database in
        try Self.setUp(database, sync, isNew: try Self.check(database, path))
      }
      try migrate()
    } catch {
      throw JournalFailure(error, path: path)
    }
  }

  /// Opens a journal for writing that is there: none is made.
  ///
  /// - Throws: ``JournalFailure``.
  public convenience init(existing path: String, sync: Sync = .normal) throws(JournalFailure) {
    try Self.seeThere(path)
    try self.init(writing: path, sync: sync)
  }

  static func seeThere(_ path: String) throws(JournalFailure) {
    guard access(path, F_OK) != 0 else { return }
    throw JournalFailure(.missing, path: path, reason: String(cString: strerror(errno)))
  }

  private convenience init(_ path: String, isReadOnly: Bool) throws(JournalFailure) {
    do {
      self.init(path, try Self.connection(path, isReadOnly: isReadOnly))
    } catch {
      throw JournalFailure(error, path: path)
    }
  }

  init(_ path: String, _ database: DatabaseQueue) {
    self.path = path
    self.database = database
  }

  /// A connection to a database.
  ///
  /// - Parameter name: Its path, or a URI.
  static func connection(_ name: String, isReadOnly: Bool) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.label = "journal"
    configuration.readonly = isReadOnly
    configuration.busyMode = .timeout(Double(Self.wait.components.seconds))
    return try DatabaseQueue(path: name, configuration: configuration)
  }

  /// Makes an empty file that only this user may read, and the folder around it.
  private static func make(_ path: String, _ sync: Sync) throws(JournalFailure) {
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      try makeFolder(String(path[..<slash]), of: path, sync)
    }
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(path, errno) }
    Glibc.close(descriptor)
  }

  private static func makeFolder(
    _ folder: String,
    of path: String,
    _ sync: Sync
  ) throws(JournalFailure) {
    guard access(folder, F_OK) != 0 else { return }
    let parent = folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? "."
    if !parent.isEmpty { try makeFolder(parent, of: path, sync) }
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw failure(path, errno) }
    guard sync == .full else { return }
    // A folder that a loss of power takes would take the journal along.
    let descriptor = open(parent.isEmpty ? "/" : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor >= 0 {
      fsync(descriptor)
      Glibc.close(descriptor)
    }
  }

  private static func failure(_ path: String, _ number: Int32) -> JournalFailure {
    let kind: JournalFailure.Kind =
      switch number {
      case ENOSPC, EDQUOT: .full
      case EACCES, EPERM, EROFS, EISDIR: .notPermitted
      case ENOENT, ENOTDIR: .noPlace
      default: .system
      }
    return JournalFailure(kind, path: path, reason: String(cString: strerror(number)))
  }

  /// Sees that the file is empty, or a journal of a version that is known here.
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
    guard try !JournalSchema.migrator.hasBeenSuperseded(database) else {
      let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
      throw JournalFailure(.newer, path: path, reason: "its tables are of version \(version)")
    }
    return false
  }

  private static func setUp(_ database: Database, _ sync: Sync, isNew: Bool) throws {
    // So that what is deleted can be given back to the disk.
    if isNew { try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
    var mode: String?
    // Two programs may set it up at once: who is second is refused without a wait, and then waits.
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
      // Another program may have done it at the same time.
      guard try database.read({ try migrator.hasCompletedMigrations($0) }) else { throw error }
    }
  }

  /// Closes it. The last one to do so leaves a single file.
  public func close() {
    // What is not closed now is so when the program ends.
    try? database.close()
  }

  /// How long commits wait for other programs from now on.
  func setWait(_ wait: Duration) {
    let milliseconds = wait.components.seconds * 1000
    // The wait that was set before serves as well.
    try? database.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA busy_timeout = \(milliseconds)")
    }
  }

  /// Reads in one transaction.
  func read<R>(_ body: (Database) throws -> R) throws(JournalFailure) -> R {
    do {
      return try database.read(body)
    } catch {
      throw JournalFailure(error, path: path)
    }
  }

  /// Writes in one transaction, committed when this returns.
  func write<R>(_ body: (Database) throws -> R) throws(JournalFailure) -> R {
    do {
      return try database.writeWithoutTransaction { database in
        var result: R?
        try database.inTransaction(.immediate) {
          result = try body(database)
          return .commit
        }
        guard let result else { throw DatabaseError(message: "nothing was written") }
        return result
      }
    } catch {
      throw JournalFailure(error, path: path)
    }
  }

  /// Whether every page is what was written.
  ///
  /// - Returns: What is wrong, one line each; empty when all is well.
  /// - Throws: ``JournalFailure`` when it cannot even be asked.
  public func complaints() throws(JournalFailure) -> [String] {
    let lines = try read { database in
      try String.fetchAll(database, sql: "PRAGMA integrity_check(20)")
        + Row.fetchAll(database, sql: "PRAGMA foreign_key_check").prefix(20).map {
          "a row of \($0[0] as String) belongs to nothing"
        }
    }
    return lines == ["ok"] ? [] : lines.filter { $0 != "ok" }
  }
}
