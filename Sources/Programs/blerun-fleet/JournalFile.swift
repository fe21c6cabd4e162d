// The file of a gateway's journal: locked, read, and replaced as a whole.
//
// Writes wait for the disk, so they run on a separate thread. What is written, and when, is up to GatewayFile.

import Documents
import Fleet
import Glibc
import Jobs
import Program
import Signals

/// The file with the journal of a gateway.
final class JournalFile: JournalDisk {
  private let path: String
  private let loop: Loop
  private let worker: WorkerThread
  /// The descriptor of the lock file, which keeps a second gateway of the same name away.
  private let lock: Int32
  /// The contents when this process began.
  let journal: GatewayJournal

  /// Locks, reads and writes the file. A missing file counts as empty.
  ///
  /// - Throws: ``CommandExit`` if the file cannot be read or written, or another process has locked it.
  init(_ path: String, on loop: Loop) throws(CommandExit) {
    self.path = path
    self.loop = loop
    guard let worker = WorkerThread("gateway journal") else {
      throw CommandExit(.unavailable, "no thread is left: see ulimit -u")
    }
    self.worker = worker
    lock = try Self.locked(path)
    do throws(CommandExit) {
      let text = try Self.read(path)
      guard let journal = text.isEmpty ? GatewayJournal() : GatewayJournal(text) else {
        throw CommandExit(.data, "\(path) is not the journal of a gateway, or of another version")
      }
      if let number = Self.replace(path, with: journal.text) {
        throw Self.failure(path, "cannot be written", number)
      }
      self.journal = journal
    } catch {
      worker.end {}
      Glibc.close(lock)
      throw error
    }
  }

  deinit {
    worker.end {}
    Glibc.close(lock)
  }

  func replace(with text: String, _ written: @escaping @Sendable (Bool) -> Void) {
    // Holds the lock until the file is written.
    worker.post { [self] in
      let isWritten = Self.replace(path, with: text) == nil
      loop.post { written(isWritten) }
    }
  }

  // MARK: The disk

  private static func failure(_ path: String, _ what: String, _ number: Int32 = errno)
    -> CommandExit
  {
    CommandExit(.output, "\(FileFailure(path, what, number))")
  }

  private static func locked(_ path: String) throws(CommandExit) -> Int32 {
    if let number = Folder.make(of: path) { throw failure(path, "cannot be written", number) }
    let lock = open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw failure(path, "cannot be locked") }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      Glibc.close(lock)
      throw CommandExit(
        .passing, "\(path) belongs to a gateway that runs: give this one another --name")
    }
    return lock
  }

  private static func read(_ path: String) throws(CommandExit) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return "" }
      throw failure(path, "cannot be read")
    }
    defer { Glibc.close(descriptor) }
    var octets: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while octets.count <= FleetBounds.value {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count >= 0 else { throw failure(path, "cannot be read") }
      if count == 0 { break }
      octets += buffer.prefix(count)
    }
    return String(decoding: octets, as: UTF8.self)
  }

  /// Replaces the file atomically: after a power loss it has its old or its new contents.
  ///
  /// - Returns: The error number if it was not replaced.
  private static func replace(_ path: String, with text: String) -> Int32? {
    // No other process writes the temporary file, because of the lock. One that a killed process left
    // is overwritten.
    guard let new = FileReplacement(of: path, beside: "\(path).new", isShared: false) else {
      return errno
    }
    return new.put(Array(text.utf8), mode: 0o600, isDurable: true)
  }
}
