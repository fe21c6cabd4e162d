// The journal of a gateway on its disk. It is replaced as a whole, before the operation that an entry
// announces.
//
// Writes wait for the disk. Changes during a write are combined into the next one, which the chains of all
// devices share. The events of runs are in EventLog.swift.

import Signals

/// The file that a ``GatewayFile`` replaces.
package protocol JournalDisk: Sendable {
  /// Replaces the contents as a whole: the file has the old ones or the new ones, also after a loss of
  /// power. The next call comes after the answer to this one.
  ///
  /// - Parameter written: Called once, in the gateway's process, with whether the new contents are on the
  ///   disk. Not called if the process ends first.
  func replace(with text: String, _ written: @escaping @Sendable (_ isWritten: Bool) -> Void)
}

/// The unsettled claims of a gateway, in memory and on its disk.
package final class GatewayFile: Sendable {
  private struct State {
    var journal: GatewayJournal
    /// The callbacks of the next write.
    var waiting: [Waiting] = []
    /// Whether a write is under way or posted.
    var isWriting = false
    /// Whether the file still has entries that were deleted, and a timer will write it.
    var isOutOfDate = false
    var observer: Waiting?
  }

  private struct Waiting { let call: @Sendable (Bool) -> Void }

  /// The time for which deleted entries stay in the file if nothing else is written.
  private static let outOfDatePause = Duration.seconds(1)

  private let disk: any JournalDisk
  private let clock: any MemberClock
  private let state: Guarded<State>

  /// Creates the journal of a process that begins.
  ///
  /// - Parameter journal: The contents of the file.
  package init(_ journal: GatewayJournal, on disk: some JournalDisk, _ clock: some MemberClock) {
    self.disk = disk
    self.clock = clock
    state = Guarded(State(journal: journal))
  }

  /// The claims that earlier processes left unsettled.
  package var entries: [JournalEntry] { state.withLock { $0.journal.entries } }

  /// Calls the handler after each write, with whether it succeeded.
  package func observe(_ handler: @escaping @Sendable (_ isWritten: Bool) -> Void) {
    state.withLock { $0.observer = Waiting(call: handler) }
  }

  /// Whether an earlier process had entries of another store.
  package func belongs(toAnotherStoreThan identity: String) -> Bool {
    state.withLock { $0.journal.store.map { $0 != identity } ?? false }
  }

  /// Keeps the identity of the store; it is on the disk after the next write.
  package func keep(store identity: String) {
    let isNew = state.withLock { state in
      defer { state.journal.store = identity }
      return state.journal.store != identity
    }
    if isNew { writeLater() }
  }

  /// Adds an entry and writes the file.
  ///
  /// - Parameter written: Called with whether the entry is on the disk; in the order of the calls.
  package func keep(_ entry: JournalEntry, _ written: @escaping @Sendable (Bool) -> Void) {
    state.withLock { $0.journal.keep(entry) }
    write(written)
  }

  /// Deletes the entry of a claim, but not from the file before its next write. If the process ends
  /// before that, the next one finds that the claim has been settled.
  package func forget(nonce: String) {
    state.withLock { $0.journal.forget(nonce: nonce) }
    writeLater()
  }

  /// Writes the file, also if nothing has changed.
  package func write(_ written: @escaping @Sendable (Bool) -> Void = { _ in }) {
    let begins = state.withLock { state in
      state.waiting.append(Waiting(call: written))
      defer { state.isWriting = true }
      return !state.isWriting
    }
    // Posted, so that the changes of one moment are one write.
    if begins { clock.post { [self] in replace() } }
  }

  private func writeLater() {
    let begins = state.withLock { state in
      defer { state.isOutOfDate = true }
      return !state.isOutOfDate
    }
    guard begins else { return }
    clock.after(Self.outOfDatePause) { [weak self] in
      guard let self else { return }
      // A write that is under way may have begun before the change: `write` lets another one follow it.
      if state.withLock({ $0.isOutOfDate }) { write() }
    }
  }

  private func replace() {
    let (text, callbacks) = state.withLock { state in
      state.isOutOfDate = false
      defer { state.waiting = [] }
      return (state.journal.text, state.waiting)
    }
    disk.replace(with: text) { [self] isWritten in
      let observer = state.withLock { $0.observer }
      for callback in callbacks + [observer].compactMap(\.self) { callback.call(isWritten) }
      let isMore = state.withLock { state in
        state.isWriting = !state.waiting.isEmpty
        return state.isWriting
      }
      if isMore { replace() }
    }
  }
}
