// The journal of a gateway on its disk: written as a whole, before what it announces is done.
//
// A write waits for the disk, so it is done on a thread of its own. What comes meanwhile goes with the next
// one: chains that run beside each other share their writes.

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
    /// The lock of the file, which another process with the same name would need.
    var lock: Int32 = -1
    /// Who waits for the next write.
    var waiting: [Waiting] = []
    /// The thread has been asked for a write that it has not begun.
    var isAsked = false
    /// The file has entries that are forgotten.
    var isOutOfDate = false
  }

  private struct Waiting { let written: @Sendable (Bool) -> Void }

  /// How long the end of the program waits for the last write.
  private static let patience = Duration.seconds(10)

  private let path: String
  private let loop: Loop
  private let worker: WorkerThread
  private let state = Guarded(State())

  /// Reads the file; none is an empty one.
  ///
  /// - Throws: ``Ending`` for a file that cannot be read or written, and one that another process
  ///   has.
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
    if let number = put(journal) { throw Self.failure(path, "cannot be written", number) }
  }

  deinit {
    worker.end {}
    let lock = state.withLock { $0.lock }
    if lock >= 0 { Glibc.close(lock) }
  }

  /// What earlier processes have left unsettled.
  var entries: [JournalEntry] { state.withLock { $0.journal.entries } }

  /// Keeps an entry.
  ///
  /// - Parameter written: Whether it is on the disk, on the loop. These come in order.
  func keep(_ entry: JournalEntry, _ written: @escaping @Sendable (Bool) -> Void) {
    state.withLock { $0.journal.keep(entry) }
    rewrite(written)
  }

  /// Forgets the entry of a claim. The disk need not know it before the next write: a later process
  /// finds that there is nothing to settle.
  func forget(nonce: String) {
    state.withLock { state in
      state.journal.forget(nonce: nonce)
      state.isOutOfDate = true
    }
  }

  /// Writes it, if there are entries to be forgotten.
  func settle(_ written: @escaping @Sendable (Bool) -> Void) {
    if state.withLock({ $0.isOutOfDate && !$0.isAsked }) { rewrite(written) }
  }

  /// Writes it.
  func rewrite(_ written: @escaping @Sendable (Bool) -> Void) {
    let isFirst = state.withLock { state in
      state.waiting.append(Waiting(written: written))
      defer { state.isAsked = true }
      return !state.isAsked
    }
    if isFirst { worker.post { [self] in write() } }
  }

  /// Writes it for all who wait. Called on the thread.
  private func write() {
    let (journal, waiting) = state.withLock { state in
      state.isAsked = false
      state.isOutOfDate = false
      defer { state.waiting = [] }
      return (state.journal, state.waiting)
    }
    let isWritten = put(journal) == nil
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

  /// Replaces the file: after a loss of power it is the old one or the new one.
  ///
  /// - Returns: The error number when it was not replaced.
  private func put(_ journal: GatewayJournal) -> Int32? {
    // The lock keeps others away; what a process left that was killed is written over.
    guard let new = FileReplacement(of: path, beside: "\(path).new", isShared: false) else {
      return errno
    }
    return new.put(Array(journal.text.utf8), mode: 0o600, isDurable: true)
  }
}
