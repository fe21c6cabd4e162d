// The disk of a simulated host: the journal, whose writes take time, and the files of events, which are not
// synchronized.

import Fleet
import Signals

/// A disk, across restarts of the processes that use it.
final class SimulatedDisk: Sendable {
  private struct State {
    /// The contents of the journal's file; empty before the first write.
    var journal = ""
    /// The contents that a process is writing.
    var writing: String?
    /// The contents of the files of events, by claim.
    var files: [String: String] = [:]
    var isFull = false
    var generator: SeededGenerator
  }

  private let written: @Sendable (String) -> Void
  private let state: Guarded<State>

  /// Creates an empty disk.
  ///
  /// - Parameter written: Called with the contents of the journal when they are on the disk.
  init(seed: UInt64, name: String, written: @escaping @Sendable (String) -> Void) {
    self.written = written
    state = Guarded(State(generator: SeededGenerator(seed: seed, name: "disk of \(name)")))
  }

  /// The journal as a process that begins finds it; nil if it cannot be read.
  var journal: GatewayJournal? {
    let text = state.withLock { $0.journal }
    return text.isEmpty ? GatewayJournal() : GatewayJournal(text)
  }

  func fill(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

  /// Ends the write of a killed process: the file has been replaced, or will never be.
  func interrupt() {
    let text = state.withLock { state -> String? in
      guard let writing = state.writing else { return nil }
      state.writing = nil
      guard state.generator.number(0...1) == 0, !state.isFull else { return nil }
      state.journal = writing
      return writing
    }
    if let text { written(text) }
  }

  /// Loses the end of each file of events.
  func losePower() {
    interrupt()
    state.withLock { state in
      for name in state.files.keys.sorted() {
        let size = state.files[name]?.utf8.count ?? 0
        let left = state.generator.number(0...size)
        state.files[name] = state.files[name].map {
          String(decoding: $0.utf8.prefix(left), as: UTF8.self)
        }
      }
    }
  }

  // MARK: The journal

  /// The journal's file for one process.
  func journalFile(of process: SimulatedProcess) -> some JournalDisk {
    ProcessDisk(disk: self, process: process)
  }

  fileprivate func replace(
    with text: String, by process: SimulatedProcess,
    _ answer: @escaping @Sendable (Bool) -> Void
  ) {
    let time = state.withLock { state in
      state.writing = text
      // Now and then a disk is slow.
      return state.generator.number(0...49) == 0
        ? Duration.milliseconds(state.generator.number(200...4000))
        : .milliseconds(state.generator.number(1...30))
    }
    _ = process.after(time) { [self] in
      let isWritten = state.withLock { state in
        state.writing = nil
        if !state.isFull { state.journal = text }
        return !state.isFull
      }
      if isWritten { written(text) }
      answer(isWritten)
    }
  }
}

extension SimulatedDisk: EventFiles {
  func append(_ line: String, toFileOf nonce: String) -> Bool {
    state.withLock { state in
      let text = state.isFull ? String(line.prefix(line.count / 2)) : line + "\n"
      state.files[nonce, default: ""] += text
      return !state.isFull
    }
  }

  func read(fileOf nonce: String, _ body: (String) -> Bool) {
    let text = state.withLock { $0.files[nonce] } ?? ""
    for line in text.split(separator: "\n") {
      guard body(String(line)) else { return }
    }
  }
}

private struct ProcessDisk: JournalDisk {
  let disk: SimulatedDisk
  let process: SimulatedProcess

  func replace(with text: String, _ written: @escaping @Sendable (Bool) -> Void) {
    disk.replace(with: text, by: process, written)
  }
}
