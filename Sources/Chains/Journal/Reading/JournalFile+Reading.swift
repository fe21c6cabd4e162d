// Opening a journal for reading, even without permission to write.

import GRDB
import Glibc

extension JournalFile {
  /// Opens a journal for reading. Neither the file nor its folder has to be writable.
  ///
  /// A journal of an earlier version is migrated first. Without permission to write, a copy in
  /// memory is migrated instead.
  ///
  /// - Throws: ``JournalFailure``.
  public convenience init(reading path: String) throws(JournalFailure) {
    try Self.checkExists(path)
    guard access(path, R_OK) == 0 else {
      throw JournalFailure(.notReadable, path: path, reason: String(cString: strerror(errno)))
    }
    let (database, isOld) = try Self.checked(path)
    guard isOld else {
      self.init(path, database)
      return
    }
    do {
      _ = try JournalFile(writing: path)
      self.init(path, database)
    } catch {
      guard error.kind == .notPermitted else { throw error }
      self.init(path, try Self.presentCopy(of: database, path))
    }
  }

  /// A connection to a journal, and whether its tables are of an earlier version.
  private static func checked(
    _ path: String
  ) throws(JournalFailure) -> (database: DatabaseQueue, isOld: Bool) {
    let refusal: JournalFailure
    do {
      return try checked(path, path)
    } catch {
      refusal = JournalFailure(error, path: path)
      guard refusal.kind == .notPermitted else { throw refusal }
    }
    // Readers of a database in WAL mode need its -shm file. A program that cannot create that file
    // can still read a journal without a -wal file, as an immutable one.
    // Source: SQLite, "Write-Ahead Logging", "Read-Only Databases"; https://sqlite.org/wal.html
    guard !hasLog(path) else {
      throw JournalFailure(.inTwoFiles, path: path, reason: refusal.reason)
    }
    do {
      return try checked(immutableName(path), path)
    } catch {
      let failure = JournalFailure(error, path: path)
      guard failure.kind == .notPermitted else { throw failure }
      throw JournalFailure(.notReadable, path: path, reason: failure.reason)
    }
  }

  private static func checked(
    _ name: String, _ path: String
  ) throws -> (database: DatabaseQueue, isOld: Bool) {
    let database = try connection(name, isReadOnly: true)
    let isOld = try database.read { database in
      guard try !check(database, path) else { throw JournalFailure.empty(path) }
      return try !JournalSchema.migrator.hasCompletedMigrations(database)
    }
    return (database, isOld)
  }

  /// Whether there are commits in the `-wal` file.
  private static func hasLog(_ path: String) -> Bool {
    var status = stat()
    return stat(path + "-wal", &status) == 0 && status.st_size > 0
  }

  /// The URI of a file that no program changes.
  ///
  /// - Source: SQLite, "Uniform Resource Identifiers"; https://sqlite.org/uri.html
  static func immutableName(_ path: String) -> String {
    // With an empty authority, a path may begin with several slashes.
    var name = path.hasPrefix("/") ? "file://" : "file:"
    for octet in path.utf8 {
      switch octet {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        name.unicodeScalars.append(Unicode.Scalar(octet))
      default:
        let digits = String(octet, radix: 16)
        name += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return name + "?immutable=1"
  }

  /// A migrated copy in memory.
  private static func presentCopy(
    of database: DatabaseQueue, _ path: String
  ) throws(JournalFailure) -> DatabaseQueue {
    do {
      var configuration = Configuration()
      configuration.prepareDatabase { try prepare($0) }
      let copy = try DatabaseQueue(configuration: configuration)
      try database.backup(to: copy)
      try JournalSchema.migrator.migrate(copy)
      return copy
    } catch {
      throw JournalFailure(error, path: path)
    }
  }
}
