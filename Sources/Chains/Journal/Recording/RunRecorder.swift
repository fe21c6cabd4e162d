// Records one run as it happens.
//
// A thin shell: ChainRecords decides what is written, RecordBatch when.

import GRDB
public import Jobs
public import Signals

/// The journal of a run under way.
///
/// The result of a step is committed when the call with the event of its end returns. When the
/// program dies in the next step, nothing of this one is lost. One thread at a time may call its
/// functions.
public final class RunRecorder: Sendable {
  private struct State {
    /// The number of the run; nil until it was written.
    var run: Int64?
    var header: RunHeader?
    var chains = 0
    var batch = RecordBatch()
    /// The number of lost records that the journal has noted.
    var noted = 0
    var failure: JournalFailure?
    /// The pause after a failure.
    var pause = RetryPause()
    /// Fires when the waiting records are due.
    var timer: LoopTimer?
  }

  private let loop: Loop
  private let file: JournalFile
  private let onFailure: @Sendable (JournalFailure) -> Void
  private let onWritten: @Sendable () -> Void
  private let state: Guarded<State>
  /// Held while a piece is written.
  private let writer = Guarded(())

  /// Creates a recorder for a new run. It writes nothing yet.
  ///
  /// - Parameters:
  ///   - loop: The loop of the events.
  ///   - onWritten: Called when everything that was recorded so far has been written.
  ///   - onFailure: Called when a write fails after one that succeeded. Unwritten records are kept,
  ///     and written after pauses that grow, and at the end.
  public init(
    _ header: RunHeader, to file: JournalFile, on loop: Loop,
    onWritten: @escaping @Sendable () -> Void = {},
    onFailure: @escaping @Sendable (JournalFailure) -> Void
  ) {
    self.loop = loop
    self.file = file
    self.onWritten = onWritten
    self.onFailure = onFailure
    state = Guarded(State(header: header))
  }

  /// Creates a recorder for a run that this process resumes. The numbers of its chains continue.
  ///
  /// - Throws: ``JournalFailure`` when the journal cannot be written, the run does not exist, or
  ///   another process resumes it.
  public init(
    resuming run: Int64, _ takeover: RunTakeover, in file: JournalFile, on loop: Loop,
    onWritten: @escaping @Sendable () -> Void = {},
    onFailure: @escaping @Sendable (JournalFailure) -> Void
  ) throws(JournalFailure) {
    guard let last = try file.write({ try $0.take(takeover, of: run) }) else {
      let reason = "another process resumes run \(run), or it was deleted"
      throw JournalFailure(.locked, path: file.path, reason: reason)
    }
    self.loop = loop
    self.file = file
    self.onWritten = onWritten
    self.onFailure = onFailure
    state = Guarded(State(run: run, chains: last))
  }

  /// The maximum number of records that are kept while they cannot be written.
  public static var mostUnwritten: Int { RecordBatch.mostUnwritten }

  /// The number of the run in the journal; nil until it was written.
  public var run: Int64? { state.withLock { $0.run } }

  /// The reason why the last attempt to write failed; nil if it succeeded.
  public var failure: JournalFailure? { state.withLock { $0.failure } }

  /// Whether everything that was recorded so far has been written.
  public var isWritten: Bool {
    state.withLock { $0.failure == nil && $0.batch.entries.isEmpty }
  }

  /// The number of records that were lost because too many came while they could not be written.
  public var lost: Int { state.withLock { $0.batch.lost } }

  /// The number of records that are not in the journal, lost or unwritten.
  public var unwritten: Int {
    state.withLock { ($0.failure == nil ? 0 : $0.batch.entries.count) + $0.batch.lost }
  }

  /// The current time, since 1970-01-01T00:00:00Z.
  public var time: Duration { loop.wallClockAtStart + loop.now.sinceStart }

  /// Records the start of the run.
  public func begin() { commit() }

  /// Records the devices of the run of a batch.
  public func take(_ devices: [BatchMember]) {
    let time = time
    state.withLock { _ = $0.batch.add(.batchDevices(devices), chain: 0, at: time) }
    commit()
  }

  /// Returns a function that records the events of chains, one after the other.
  ///
  /// Each run-started event begins the next chain. Chains that run side by side need a function
  /// each.
  public func chain() -> @Sendable (RunEvent) -> Void {
    let chain = Guarded((number: 0, records: ChainRecords()))
    return { [self] event in
      if case .runStarted = event.change {
        let number = state.withLock { state in
          state.chains += 1
          return state.chains
        }
        chain.withLock { $0 = (number, ChainRecords()) }
      }
      let (number, record) = chain.withLock { ($0.number, $0.records.record(of: event)) }
      guard let record else { return }
      let time = event.wallClock
      let isDue = state.withLock { $0.batch.add(record, chain: number, at: time) }
      if isDue { commit() } else { arm(at: time) }
    }
  }

  /// Starts a timer for the waiting records.
  private func arm(at time: Duration) {
    let now = loop.now.sinceStart
    let wait = state.withLock { state -> Duration? in
      guard state.timer == nil, let wait = state.batch.wait(at: time) else { return nil }
      return state.pause.wait(at: now) ?? wait
    }
    guard let wait else { return }
    let timer = loop.after(wait) { [weak self] in
      self?.state.withLock { $0.timer = nil }
      self?.commit()
    }
    state.withLock { $0.timer = timer }
  }

  /// Records the end of the run, and what could not be written before.
  public func finish(_ status: ExitStatus) {
    if failure != nil { file.setWait(JournalFile.wait) }
    writeAll()
    guard let run, failure == nil else { return }
    let time = time
    _ = attempt { () throws(JournalFailure) in
      try file.write { database in
        try database.update(
          run, set: "finished = ?, exit_status = ?", [Timestamp.text(time), status.rawValue]
        )
      }
    }
  }

  // MARK: Writing

  /// Writes the waiting records, unless the pause after a failure is not over.
  private func commit() {
    let now = loop.now.sinceStart
    if state.withLock({ $0.pause.isOver(at: now) }) { writeAll() }
    arm(at: time)
  }

  /// Writes the waiting records, one transaction after the other, until one fails.
  private func writeAll() {
    let timer = state.withLock { state in
      defer { state.timer = nil }
      return state.timer
    }
    timer?.cancel()
    while writePiece() {}
    if isWritten { onWritten() }
  }

  /// One piece at a time: a timer on the loop and the end of the run may come from two threads.
  ///
  /// - Returns: Whether it succeeded and more records wait.
  private func writePiece() -> Bool {
    attempt { () throws(JournalFailure) in
      try writer.withLock { _ throws(JournalFailure) in try writeOne() }
    } ?? false
  }

  private func writeOne() throws(JournalFailure) -> Bool {
    let (run, header, entries, lost, noted) = state.withLock { state in
      (state.run, state.header, state.batch.next, state.batch.lost, state.noted)
    }
    let number = try file.write { database in
      let number = try run ?? header.map { try database.insert($0) } ?? 0
      var rollups = MinuteRollups()
      for entry in entries {
        try database.insert(entry.record, run: number, chain: entry.chain)
        // A value that was written before, in a commit whose confirmation was lost, counts once.
        if case .value(let value) = entry.record, database.changesCount > 0 {
          rollups.add(value, of: entry.chain)
        }
      }
      try database.add(rollups, run: number)
      if lost > noted { try database.note(lost: lost - noted, of: number) }
      return number
    }
    return state.withLock { state in
      state.run = number
      state.batch.written(entries.count)
      state.noted = lost
      return !state.batch.entries.isEmpty
    }
  }

  /// Writes, and notes whether that was possible.
  private func attempt<R>(_ body: () throws(JournalFailure) -> R) -> R? {
    do {
      let result = try body()
      let hadFailed = state.withLock { state in
        state.pause.succeeded()
        defer { state.failure = nil }
        return state.failure != nil
      }
      if hadFailed { file.setWait(JournalFile.wait) }
      return result
    } catch {
      let now = loop.now.sinceStart
      let isFirst = state.withLock { state in
        state.pause.failed(at: now)
        defer { state.failure = error }
        return state.failure == nil
      }
      if isFirst {
        // A program that locks the journal for two seconds may lock it for long, and not every step
        // may wait for it.
        file.setWait(.zero)
        onFailure(error)
      }
      return nil
    }
  }
}
