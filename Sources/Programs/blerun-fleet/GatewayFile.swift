// The file of a gateway's journal. It is replaced as a whole, before the operation that an entry announces.
//
// Writes wait for the disk, so they run on a separate thread. Changes during a write are combined into the
// next one, which the chains of all devices share. The events of runs are in GatewayEvents.swift.

import Documents
import Fleet
import Glibc
import Jobs
import Program
import Signals

/// The file with the unsettled claims of a gateway.
final class GatewayFile: Sendable {
  private struct State {
    var journal = GatewayJournal()
    /// The descriptor of the lock file, which keeps a second gateway of the same name away.
    var lock: Int32 = -1
    /// The callbacks of the next write.
    var waiting: [Waiting] = []
    /// Whether a write is posted to the thread and has not begun.
    var isWritePosted = false
    /// Whether the file still has entries that were deleted.
    var isOutOfDate = false
  }

  private struct Waiting { let written: @Sendable (Bool) -> Void }

  /// The longest wait for the last write when the program ends.
  private static let patience = Duration.seconds(10)

  private let path: String
  private let loop: Loop
  private let worker: WorkerThread
  private let state = Guarded(State())

  /// Locks and reads the file. A missing file counts as empty.
  ///
  /// - Throws: ``Ending`` if the file cannot be read or written, or another process has locked it.
  init(_ path: String, on loop: Loop) throws(Ending) {
    self.path = path
    self.loop = loop
    guard let worker = WorkerThread("gateway journal") else {
      throw Ending(.unavailable, "no thread is left: see ulimit -u")
    }
    self.worker = worker
    if let number = Folder.make(of: path) {
      throw Self.failure(path, "cannot be written", number)
    }
    let lock = open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw Self.failure(path, "cannot be locked") }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      Glibc.close(lock)
      throw Ending(.passing, "\(path) belongs to a gateway that runs: give this one another --name")
    }
    let text = try Self.read(path)
    guard let journal = text.isEmpty ? GatewayJournal() : GatewayJournal(text) else {
      throw Ending(.data, "\(path) is not the journal of a gateway, or of another version")
    }
    state.withLock { ($0.journal, $0.lock) = (journal, lock) }
    if let number = replaceFile(with: journal) {
      throw Self.failure(path, "cannot be written", number)
    }
  }

  deinit {
    worker.end {}
    let lock = state.withLock { $0.lock }
    if lock >= 0 { Glibc.close(lock) }
  }

  /// The claims that earlier processes left unsettled.
  var entries: [JournalEntry] { state.withLock { $0.journal.entries } }

  /// Whether an earlier process had entries of another store.
  func belongs(toAnotherStoreThan identity: String) -> Bool {
    state.withLock { $0.journal.store.map { $0 != identity } ?? false }
  }

  /// Keeps the identity of the store; it is on the disk after the next write.
  func keep(store identity: String) {
    state.withLock { state in
      guard state.journal.store != identity else { return }
      state.journal.store = identity
      state.isOutOfDate = true
    }
  }

  /// Adds an entry and writes the file.
  ///
  /// - Parameter written: Called on the loop with whether the entry is on the disk; in the order of the
  ///   calls.
  func keep(_ entry: JournalEntry, _ written: @escaping @Sendable (Bool) -> Void) {
    state.withLock { $0.journal.keep(entry) }
    rewrite(written)
  }

  /// Deletes the entry of a claim, but not from the file before its next write. If the program ends
  /// before that, the next process finds that the claim has been settled.
  func forget(nonce: String) {
    state.withLock { state in
      state.journal.forget(nonce: nonce)
      state.isOutOfDate = true
    }
  }

  /// Writes the file if it still has deleted entries.
  func rewriteIfOutOfDate(_ written: @escaping @Sendable (Bool) -> Void) {
    if state.withLock({ $0.isOutOfDate && !$0.isWritePosted }) { rewrite(written) }
  }

  /// Writes the file.
  func rewrite(_ written: @escaping @Sendable (Bool) -> Void) {
    let isFirst = state.withLock { state in
      state.waiting.append(Waiting(written: written))
      defer { state.isWritePosted = true }
      return !state.isWritePosted
    }
    if isFirst { worker.post { [self] in write() } }
  }

  /// Writes the file and calls all callbacks. Called on the thread.
  private func write() {
    let (journal, waiting) = state.withLock { state in
      state.isWritePosted = false
      state.isOutOfDate = false
      defer { state.waiting = [] }
      return (state.journal, state.waiting)
    }
    let isWritten = replaceFile(with: journal) == nil
    loop.post { for one in waiting { one.written(isWritten) } }
  }

  /// Waits until everything is on the disk.
  func finish() async {
    _ = try? await wait(
      on: loop, operation: "writing the gateway's journal", limit: Self.patience
    ) { (done: Completion<Void>) in
      rewrite { _ in done.succeed(()) }
    }
  }

  // MARK: The disk

  private static func failure(_ path: String, _ what: String, _ number: Int32 = errno) -> Ending {
    Ending(.output, "\(FileFailure(path, what, number))")
  }

  private static func read(_ path: String) throws(Ending) -> String {
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
      guard count > 0 else { break }
      octets += buffer.prefix(count)
    }
    return String(decoding: octets, as: UTF8.self)
  }

  /// Replaces the file atomically: after a power loss it has its old or its new contents.
  ///
  /// - Returns: The error number if it was not replaced.
  private func replaceFile(with journal: GatewayJournal) -> Int32? {
    // No other process writes the temporary file, because of the lock. One that a killed process left
    // is overwritten.
    guard let new = FileReplacement(of: path, beside: "\(path).new", isShared: false) else {
      return errno
    }
    return new.put(Array(journal.text.utf8), mode: 0o600, isDurable: true)
  }
}
