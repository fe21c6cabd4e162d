// Records one run as it happens.
//
// A thin shell: ChainRecords decides what is written, RecordBatch when.

import GRDB
public import RunEvents
public import Signals

/// The journal of a run under way.
///
/// The result of a step is committed when the call with the event of its end returns. When the
/// program dies in the next step, nothing of this one is lost. With ``JournalFile/Sync/relaxed`` it is
/// committed within half a second. One thread at a time may call its functions.
public final class RunRecorder: Sendable {
  static let backoff = Backoff(first: .seconds(1), longest: .seconds(30))

  private struct State {
    /// The number of the run; nil until it was written.
    var run: Int64?
    var header: RunHeader?
    var chains = 0
    var batch: RecordBatch
    /// The number of records that earlier processes of the run lost.
    var lostBefore = 0
    /// The number of lost records that the journal has noted.
    var noted = 0
    var failure: JournalFailure?
    /// An attempt to write costs time, and a full disk is usually still full a moment later. A write
    /// is progress.
    var backoff = RunRecorder.backoff
    /// The end of the pause after a failure; nil when the last attempt succeeded.
    var pausedUntil: Instant?
    /// Fires when the waiting records are due.
    var timer: LoopTimer?
  }

  private let loop: Loop
  private let file: JournalFile
  private let onFailure: @Sendable (JournalFailure) -> Void
  private let onWritten: @Sendable () -> Void
  private let state: Guarded<State>
  /// Held while a piece is written.
  private let writer = Guarded(MinuteRollups())

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
    state = Guarded(
      State(header: header, batch: RecordBatch(isRelaxed: file.sync == .relaxed))
    )
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
    let before = try file.write { database in
      try database.apply(takeover, to: run).map { (chains: $0, lost: try database.lost(of: run)) }
    }
    guard let before else {
      let reason = "another process resumes run \(run), or it was deleted"
      throw JournalFailure(.locked, path: file.path, reason: reason)
    }
    self.loop = loop
    self.file = file
    self.onWritten = onWritten
    self.onFailure = onFailure
    state = Guarded(
      State(
        run: run, chains: before.chains, batch: RecordBatch(isRelaxed: file.sync == .relaxed),
        lostBefore: before.lost
      )
    )
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
  public func record(_ devices: [BatchMember]) {
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
      if case .run(.started) = event.change {
        let number = state.withLock { state in
          state.chains += 1
          return state.chains
        }
        chain.withLock { $0 = (number, ChainRecords()) }
      }
      let (number, record) = chain.withLock { ($0.number, $0.records.record(of: event)) }
      guard let record else { return }
      let time = time
      let isDue = state.withLock { $0.batch.add(record, chain: number, at: time) }
      if isDue { commit() } else { arm(at: time) }
    }
  }

  /// Starts a timer for the waiting records, unless one is running. It fires when they are due and
  /// the pause after a failure is over.
  ///
  /// A timer runs on when its records have been written with others: when it fires, it is started
  /// again for those that wait then. So a step that takes no time starts none.
  private func arm(at time: Duration) {
    let now = loop.now
    state.withLock { state in
      guard state.timer == nil, let wait = state.batch.wait(at: time) else { return }
      let pause = state.pausedUntil.map { max(wait, $0 - now) } ?? wait
      // Set inside the lock: the timer may fire before this line has ended.
      state.timer = loop.after(pause) { [weak self] in
        guard let self else { return }
        let time = self.time
        let isDue = self.state.withLock { state in
          state.timer = nil
          return state.batch.wait(at: time) == .zero
        }
        if isDue { commit() } else { arm(at: time) }
      }
    }
  }

  /// Records the end of the run, and what could not be written before.
  public func finish(_ status: ExitStatus) {
    if failure != nil { file.setWait(JournalFile.wait) }
    stopTimer()
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
    let now = loop.now
    if state.withLock({ $0.pausedUntil.map { $0 <= now } ?? true }) { writeAll() }
    arm(at: time)
  }

  private func stopTimer() {
    let timer = state.withLock { state in
      defer { state.timer = nil }
      return state.timer
    }
    timer?.cancel()
  }

  /// Writes the waiting records, one transaction after the other, until one fails.
  private func writeAll() {
    while writePiece() {}
    if isWritten { onWritten() }
  }

  /// One piece at a time: a timer on the loop and the end of the run may come from two threads.
  ///
  /// - Returns: Whether it succeeded and more records wait.
  private func writePiece() -> Bool {
    attempt { () throws(JournalFailure) in
      try writer.withLock { rollups throws(JournalFailure) in try writeOne(&rollups) }
    } ?? false
  }

  /// - Parameter rollups: Changed only if the transaction is committed.
  private func writeOne(_ rollups: inout MinuteRollups) throws(JournalFailure) -> Bool {
    let (run, header, entries, lost, noted, before) = state.withLock { state in
      (
        state.run, state.header, state.batch.next, state.batch.lost, state.noted, state.lostBefore
      )
    }
    let (number, changed) = try file.write { [rollups] database in
      var rollups = rollups
      let number = try run ?? header.map { try database.insert($0) } ?? 0
      try database.insert(entries, run: number, adding: &rollups)
      try database.add(rollups, run: number)
      rollups.written()
      if lost > noted { try database.note(lost: before + lost, of: number) }
      return (number, rollups)
    }
    rollups = changed
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
        state.backoff.progress()
        state.pausedUntil = nil
        defer { state.failure = nil }
        return state.failure != nil
      }
      if hadFailed { file.setWait(JournalFile.wait) }
      return result
    } catch {
      let now = loop.now
      let isFirst = state.withLock { state in
        state.pausedUntil = now + state.backoff.next()
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
