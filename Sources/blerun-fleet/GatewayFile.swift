// The journal of a gateway on its disk: written as a whole, before what it announces is done.

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
  }

  private let path: String
  private let state = Guarded(State())

  /// Reads the file; none is an empty one.
  ///
  /// - Throws: ``Ending`` for a file that cannot be read or written, and one that another process
  ///   has.
  init(_ path: String) throws(Ending) {
    self.path = path
    if let slash = path.lastIndex(of: "/") { Self.makeFolder(String(path[..<slash])) }
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
    state.withLock { $0 = State(journal: journal, lock: lock) }
    guard write(journal) else { throw Self.failure(path, "cannot be written") }
  }

  deinit {
    let lock = state.withLock { $0.lock }
    if lock >= 0 { Glibc.close(lock) }
  }

  /// What earlier processes have left unsettled.
  var entries: [JournalEntry] { state.withLock { $0.journal.entries } }

  /// Keeps an entry.
  ///
  /// - Returns: Whether it is on the disk.
  func keep(_ entry: JournalEntry) -> Bool {
    let journal = state.withLock { state in
      state.journal.keep(entry)
      return state.journal
    }
    return write(journal)
  }

  /// Forgets the entry of a claim.
  func forget(nonce: String) -> Bool {
    let journal = state.withLock { state in
      state.journal.forget(nonce: nonce)
      return state.journal
    }
    return write(journal)
  }

  /// Writes it again, after a failure.
  func rewrite() -> Bool { write(state.withLock { $0.journal }) }

  // MARK: The disk

  private static func failure(_ path: String, _ what: String) -> Ending {
    Ending(.output, "\(path) \(what): \(String(cString: strerror(errno)))")
  }

  private static func makeFolder(_ path: String) {
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      makeFolder(String(path[..<slash]))
    }
    mkdir(path, 0o700)
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
  private func write(_ journal: GatewayJournal) -> Bool {
    // The lock keeps others away; what a process left that was killed is written over.
    let new = FileReplacement(of: path, beside: "\(path).new", isShared: false)
    return new?.put(Array(journal.text.utf8), mode: 0o600, isDurable: true) == .some(.none)
  }
}
