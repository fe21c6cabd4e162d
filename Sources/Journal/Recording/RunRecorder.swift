// Writes one run down as it happens.
//
// A thin shell: what is written is decided by ChainRecords, when by RecordBatch.

import GRDB
public import Jobs
public import Signals

/// The journal of a run under way.
///
/// Everything that a step brought is committed when the event of its end has been recorded: who runs
/// the next step after that loses nothing when the program dies. Its functions are called by one
/// thread at a time.
public final class RunRecorder: Sendable {
  private struct State {
    /// The number of the run; nil as long as it could not be written.
    var run: Int64?
    var header: RunHeader?
    var chains = 0
    var batch = RecordBatch()
    /// How many lost records the journal knows of.
    var noted = 0
    var failure: JournalFailure?
    /// Until when nothing is tried after a failure.
    var pause = RetryPause()
    /// Goes off when what waits has waited long enough.
    var timer: LoopTimer?
  }

  private let loop: Loop
  private let file: JournalFile
  private let onFailure: @Sendable (JournalFailure) -> Void
  private let state: Guarded<State>

  /// A new run. Nothing is written yet.
  ///
  /// - Parameters:
  ///   - loop: Where the events happen.
  ///   - onFailure: Called when writing has failed after it succeeded; what could not be written is
  ///     kept, and tried again after pauses that grow, and at the end.
  public init(
    _ header: RunHeader,
    to file: JournalFile,
    on loop: Loop,
    onFailure: @escaping @Sendable (JournalFailure) -> Void
  ) {
    self.loop = loop
    self.file = file
    self.onFailure = onFailure
    state = Guarded(State(header: header))
  }

  /// A run that is resumed: it is given to this process, and its chains are numbered on.
  ///
  /// - Throws: ``JournalFailure`` when the journal cannot be written, the run is not there, or
  ///   another process resumes it.
  public init(
    resuming run: Int64,
    _ takeover: RunTakeover,
    in file: JournalFile,
    on loop: Loop,
    onFailure: @escaping @Sendable (JournalFailure) -> Void
  ) throws(JournalFailure) {
    guard let last = try file.write({ try $0.take(takeover, of: run) }) else {
      let reason = "another process goes on with run \(run), or it was taken out"
      throw JournalFailure(.locked, path: file.path, reason: reason)
    }
    self.loop = loop
    self.file = file
    self.onFailure = onFailure
    state = Guarded(State(run: run, chains: last))
  }

  /// How many records are kept while they cannot be written.
  public static var mostUnwritten: Int { RecordBatch.mostUnwritten }

  /// The number of the run in the journal; nil as long as it could not be written.
  public var run: Int64? { state.withLock { $0.run } }

  /// Why the last attempt to write failed; nil when it succeeded.
  public var failure: JournalFailure? { state.withLock { $0.failure } }

  /// How many records were given up, because more came than are kept while they could not be
  /// written.
  public var lost: Int { state.withLock { $0.batch.lost } }

  /// How many records are not in the journal, because they could not be written.
  public var unwritten: Int {
    state.withLock { ($0.failure == nil ? 0 : $0.batch.entries.count) + $0.batch.lost }
  }

  /// Now, since 1970-01-01T00:00:00Z.
  public var time: Duration { loop.wallClockAtStart + loop.now.sinceStart }

  /// Writes down that the run begins.
  public func begin() { commit() }

  /// Writes down which devices the run of a batch is for.
  public func take(_ devices: [BatchMember]) {
    let time = time
    state.withLock { _ = $0.batch.add(.batchDevices(devices), chain: 0, at: time) }
    commit()
  }

  /// What records the events of the next chain of the run, and of chains that follow it: each
  /// run-started begins one.
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

  /// Sees to it that what waits is written in time.
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

  /// Writes down how the run ended, and what could not be written before.
  public func finish(_ status: ExitStatus) {
    if failure != nil { file.setWait(JournalFile.wait) }
    writeAll()
    guard let run, failure == nil else { return }
    let time = time
    _ = write { database in
      try database.execute(
        sql: "UPDATE runs SET finished = ?, exit_status = ? WHERE run = ?",
        arguments: [Timestamp.text(time), status.rawValue, run]
      )
    }
  }

  // MARK: Writing

  /// Writes what waits, unless that failed a moment ago.
  private func commit() {
    let now = loop.now.sinceStart
    if state.withLock({ $0.pause.isOver(at: now) }) { writeAll() }
    arm(at: time)
  }

  /// Writes what waits, piece by piece, until one fails.
  private func writeAll() {
    let timer = state.withLock { state in
      defer { state.timer = nil }
      return state.timer
    }
    timer?.cancel()
    while writePiece() {}
  }

  /// - Returns: Whether it succeeded, and there is more.
  private func writePiece() -> Bool {
    let (run, header, entries, lost, noted) = state.withLock { state in
      (state.run, state.header, state.batch.next, state.batch.lost, state.noted)
    }
    let number = write { database in
      let number = try run ?? header.map { try database.insert($0) } ?? 0
      for entry in entries {
        try database.insert(entry.record, run: number, chain: entry.chain)
      }
      if lost > noted { try database.note(lost: lost - noted, of: number) }
      return number
    }
    guard let number else { return false }
    return state.withLock { state in
      state.run = number
      state.batch.written(entries.count)
      state.noted = lost
      return !state.batch.entries.isEmpty
    }
  }

  private func write<R>(_ body: (Database) throws -> R) -> R? {
    do {
      let result = try file.write(body)
      let hadFailed = state.withLock { state in
        state.pause.wentWell()
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
        // Who holds it for two seconds may hold it for long: steps do not wait for that each time.
        file.setWait(.zero)
        onFailure(error)
      }
      return nil
    }
  }
}
