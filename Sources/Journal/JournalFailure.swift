// Why a journal could not be used, in words.

import GRDB

/// A journal could not be opened, read or written. Nothing that was recorded before is lost by it.
public struct JournalFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of trouble it is.
  public enum Kind: Hashable, Sendable {
    /// The disk, or the quota of the user, is full.
    case full
    /// No file can be there: the folder is missing, or holds none.
    case noPlace
    /// The file or its folder may not be written or read.
    case notPermitted
    /// The file may not be read.
    case notReadable
    /// Some of it is still in the file beside it, which is read only where the folder may be written.
    case inTwoFiles
    /// Another program holds the journal, longer than was waited for.
    case locked
    /// Parts of the file are not what was written.
    case damaged
    /// The file is something else.
    case notAJournal
    /// A later blerun wrote it.
    case newer
    /// There is none.
    case missing
    /// The system refused to read or write.
    case system
  }

  public let kind: Kind
  /// The file.
  public let path: String
  /// What SQLite or the system said.
  public let reason: String

  public init(_ kind: Kind, path: String, reason: String) {
    self.kind = kind
    self.path = path
    self.reason = reason
  }

  /// What an error of SQLite means.
  ///
  /// - Source: SQLite, "Result and Error Codes"; https://sqlite.org/rescode.html
  init(_ error: any Error, path: String) {
    if let failure = error as? JournalFailure {
      self = failure
      return
    }
    guard let error = error as? DatabaseError else {
      self.init(.system, path: path, reason: "\(error)")
      return
    }
    let kind: Kind =
      switch error.resultCode {
      case .SQLITE_FULL: .full
      case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CANTOPEN: .notPermitted
      case .SQLITE_BUSY, .SQLITE_LOCKED: .locked
      case .SQLITE_CORRUPT: .damaged
      case .SQLITE_NOTADB: .notAJournal
      default: .system
      }
    let text = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
    self.init(kind, path: path, reason: text)
  }

  /// What is wrong, in a clause.
  public var meaning: String {
    switch kind {
    case .full: "the disk is full"
    case .noPlace: "its folder is missing, or holds no files"
    case .notPermitted: "it cannot be opened for writing"
    case .notReadable: "it cannot be opened for reading"
    case .inTwoFiles: "its latest commits are in its -wal file, and its folder may not be written"
    case .locked: "another program holds it"
    case .damaged: "the file is damaged"
    case .notAJournal: "the file is no journal"
    case .newer: "a later blerun wrote it"
    case .missing: "there is none"
    case .system: "the system refused"
    }
  }

  /// What to try.
  public var hint: String {
    switch kind {
    case .full: "make room: blerun history prune, or another place with --journal FILE"
    case .noPlace: "name a file in a folder of a disk"
    case .notPermitted: "see who may write to the file and its folder, or name another"
    case .notReadable: "see who may read the file, and its -wal file if there is one"
    case .inTwoFiles:
      "copy it with its -wal file to a folder of your own and name the copy: --journal FILE"
    case .locked: "end the program that holds it: fuser -v \(path)"
    case .damaged:
      "move it away, with its -wal file; sqlite3's .recover reads what can be read of it"
    case .notAJournal: "name another file"
    case .newer: "use that blerun, or name another file"
    case .missing: "real runs make one; of simulated ones: run with --journal FILE"
    case .system: "see dmesg and the state of the disk"
    }
  }

  public var description: String {
    "the journal \(path): \(meaning) (\(reason)). Try: \(hint)"
  }
}
