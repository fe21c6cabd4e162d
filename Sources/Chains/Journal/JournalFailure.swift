// The reasons why a journal could not be used.

import GRDB
import Glibc

/// A journal could not be opened, read or written. What was recorded before is not lost.
public struct JournalFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public enum Kind: Hashable, Sendable {
    /// The disk or the quota of the user is full.
    case full
    /// No file can have this path: its folder is missing, it is a folder itself, or it is too long.
    case noPlace
    /// No permission to write to the file or its folder.
    case notPermitted
    /// No permission to read the file.
    case notReadable
    /// The latest commits are in the `-wal` file, which SQLite reads only in a writable folder.
    case inTwoFiles
    /// Another program locked the journal for longer than the wait.
    case locked
    /// The contents of the file are damaged.
    case damaged
    /// The file is not a journal.
    case notAJournal
    /// A newer version of blerun wrote it.
    case newer
    /// The file does not exist.
    case missing
    /// Nothing is in the file: no run has begun.
    case empty
    /// The operating system refused to read or write.
    case system
  }

  public let kind: Kind
  /// The file.
  public let path: String
  /// The message of SQLite or of the operating system.
  public let reason: String

  public init(_ kind: Kind, path: String, reason: String) {
    self.kind = kind
    self.path = path
    self.reason = reason
  }

  /// The failure for a file in which no run has begun.
  static func empty(_ path: String) -> Self {
    Self(.empty, path: path, reason: "no run is in it")
  }

  /// The failure for an error of SQLite.
  ///
  /// - Source: SQLite, "Result and Error Codes"; https://sqlite.org/rescode.html
  init(_ error: any Error, path: String) {
    if let failure = error as? JournalFailure {
      self = failure
      return
    }
    if let unexpected = error as? StoredRow.Unexpected {
      self.init(.damaged, path: path, reason: "\(unexpected)")
      return
    }
    guard let error = error as? DatabaseError else {
      self.init(.system, path: path, reason: "\(error)")
      return
    }
    // A statement may fail because an earlier one found no space, and files that are mapped cannot grow.
    let mayBeFull = [.SQLITE_ERROR, .SQLITE_IOERR].contains(error.resultCode) && Self.isFull(path)
    let kind: Kind =
      switch mayBeFull ? .SQLITE_FULL : error.resultCode {
      case .SQLITE_FULL: .full
      case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CANTOPEN: .notPermitted
      case .SQLITE_BUSY, .SQLITE_LOCKED: .locked
      // The statements are correct for the tables of a journal: what fails is in the file.
      case .SQLITE_CORRUPT, .SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG:
        .damaged
      case .SQLITE_NOTADB: .notAJournal
      default: .system
      }
    let text = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
    self.init(kind, path: path, reason: text)
  }

  /// Whether the disk of a file has no space for a commit.
  private static func isFull(_ path: String) -> Bool {
    var facts = statvfs()
    guard statvfs(path, &facts) == 0 else { return false }
    return UInt64(facts.f_bavail) * UInt64(facts.f_frsize) < 65_536
  }

  /// The failure, as a clause.
  public var meaning: String {
    switch kind {
    case .full: "the disk is full"
    case .noPlace: "no file can have this path"
    case .notPermitted: "it cannot be opened for writing"
    case .notReadable: "it cannot be opened for reading"
    case .inTwoFiles: "its latest commits are in its -wal file, and its folder may not be written"
    case .locked: "another program has locked it"
    case .damaged: "the file is damaged"
    case .notAJournal: "the file is not a journal"
    case .newer: "a newer version of blerun wrote it"
    case .missing: "the file does not exist"
    case .empty: "the file is empty"
    case .system: "the system refused access"
    }
  }

  /// A hint for the user.
  public var hint: String {
    switch kind {
    case .full: "free space with blerun history prune, or name another file with --journal FILE"
    case .noPlace: "name another file, in an existing folder"
    case .notPermitted: "check the permissions of the file and its folder, or name another file"
    case .notReadable: "check the permissions of the file, and of its -wal file if there is one"
    case .inTwoFiles:
      "copy it with its -wal file to a folder of your own and name the copy: --journal FILE"
    case .locked: "end the program that has locked it: fuser -v \(path)"
    case .damaged:
      "move it away with its -wal file; sqlite3 can recover part of it with .recover"
    case .notAJournal: "name another file"
    case .newer: "use that version of blerun, or name another file"
    case .missing, .empty: "real runs create one; simulated runs do with --journal FILE"
    case .system:
      "check dmesg, the state of the disk, and the limits of the shell (ulimit -f, -n, -u)"
    }
  }

  public var description: String {
    "the journal \(path): \(meaning) (\(reason)). Try: \(hint)"
  }
}
