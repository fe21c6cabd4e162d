// The journal of a command: opened first, the first to receive events, closed last.

import Bluetooth
package import Jobs
import Journal
package import Signals

/// An open journal file, with its options.
package struct OpenJournal: Sendable {
  let file: JournalFile
  let options: JournalOptions

  package func begin(
    _ command: String, _ definition: String, _ identity: RunIdentity, in world: World,
    on scheduler: SerialScheduler? = nil
  ) throws(CommandExit) -> RunJournal {
    let journal = RunJournal(self, in: world, on: scheduler)
    do {
      try journal.begin(command, definition, identity)
    } catch {
      throw CommandExit(.output, "\(error)")
    }
    return journal
  }
}

extension JournalOptions {
  /// Opens the journal of the options. A folder that the user named must exist, as it may be misspelt.
  ///
  /// - Returns: Nil without a journal, or if an optional one cannot be opened, which is printed.
  package func open(isSimulated: Bool) throws(CommandExit) -> OpenJournal? {
    guard let path = try path(isSimulated: isSimulated) else { return nil }
    do {
      let file = try JournalFile(writing: path, sync: journalSync, makesFolder: journal == nil)
      return OpenJournal(file: file, options: self)
    } catch {
      if need == .required { throw CommandExit(.output, "\(error)") }
      StandardError.failure("this run is in no journal: \(error)")
      return nil
    }
  }
}

/// Writes the runs of a command to a journal, and handles its failures.
///
/// One run at a time: a chain, a suite, a round of a batch, or a day of a watch.
package final class RunJournal: Sendable {
  private typealias Chain = @Sendable (RunEvent) -> Void

  private struct State {
    /// The recorder of the current run.
    var recorder: RunRecorder?
    /// The recorders of its chains, by device.
    var chains: [String: Chain] = [:]
    /// Events that are not yet reported, in order.
    var held: [HeldEvent] = []
    /// The exit status after a failure of a required journal; nil without one.
    var failed: ExitStatus?
    /// Called when a required journal fails, to end the chains.
    var cancel: @Sendable (RunFailure) -> Void
  }

  let file: JournalFile
  private let options: JournalOptions
  private let loop: Loop
  let isSimulated: Bool
  private let state: Guarded<State>

  /// - Parameter scheduler: The scheduler whose work is cancelled when a required journal fails; nil for that of the
  /// world.
  package convenience init(
    _ journal: OpenJournal, in world: World, on scheduler: SerialScheduler? = nil
  ) {
    let scheduler = scheduler ?? world.scheduler
    self.init(journal, on: world.loop, isSimulated: world.isSimulated) { scheduler.cancelAll($0) }
  }

  init(
    _ journal: OpenJournal, on loop: Loop, isSimulated: Bool,
    cancel: @escaping @Sendable (RunFailure) -> Void
  ) {
    (file, options) = (journal.file, journal.options)
    (self.loop, self.isSimulated) = (loop, isSimulated)
    state = Guarded(State(cancel: cancel))
  }

  /// Replaces the handler for a failure of a required journal during a run. It is retained until the end.
  package func onFailure(_ cancel: @escaping @Sendable (RunFailure) -> Void) {
    state.withLock { $0.cancel = cancel }
  }

  /// The number of the current run; nil before it is written.
  package var run: Int64? { state.withLock { $0.recorder }?.run }

  // MARK: Runs

  /// Begins a run.
  ///
  /// - Throws: The failure of a required journal.
  func begin(
    _ command: String, _ definition: String, _ identity: RunIdentity, batch: BatchOrigin? = nil
  ) throws(JournalFailure) {
    let header = RunHeader(
      identity: identity.description, command: command, definition: definition, seed: identity.seed,
      isSimulated: isSimulated, owner: isSimulated ? nil : ProcessIdentity.own.text,
      version: Blerun.version, started: loop.wallClockAtStart + loop.now.sinceStart, batch: batch
    )
    let recorder = RunRecorder(
      header, to: file, on: loop, onWritten: { [weak self] in self?.release() },
      onFailure: { [weak self] in self?.failed($0) }
    )
    // A recorder that has failed is stored, too: events that a required journal cannot record are
    // not reported.
    state.withLock { $0.recorder = recorder }
    recorder.begin()
    if options.need == .required, let failure = recorder.failure { throw failure }
  }

  /// Records that this process resumes a run.
  ///
  /// - Parameter owner: The last owner of the run.
  /// - Throws: The failure of the journal, required or not.
  func resume(_ run: Int64, of owner: String?) throws(JournalFailure) {
    let takeover = RunTakeover(
      former: owner, owner: isSimulated ? nil : ProcessIdentity.own.text, version: Blerun.version,
      started: loop.wallClockAtStart + loop.now.sinceStart
    )
    let recorder = try RunRecorder(
      resuming: run, takeover, in: file, on: loop, onWritten: { [weak self] in self?.release() },
      onFailure: { [weak self] in self?.failed($0) }
    )
    state.withLock { $0.recorder = recorder }
  }

  private func failed(_ failure: JournalFailure) {
    switch options.need {
    case .required: state.withLock { $0.cancel }(RunFailure(failure))
    case .optional:
      StandardError.failure(
        "\(failure). The run goes on; its results are kept until they can be written, up "
          + "to \(RunRecorder.mostUnwritten) records"
      )
    }
  }

  /// Gives up the current run. The command ends with this status, unless a signal ends it.
  func giveUp(_ status: ExitStatus) {
    state.withLock { state in
      (state.recorder, state.chains) = (nil, [:])
      state.failed = state.failed ?? status
    }
  }

  /// Records the devices of a batch.
  func record(_ devices: [BatchMember]) { state.withLock { $0.recorder }?.record(devices) }

  // MARK: Events

  /// Records an event of a chain, and reports it.
  ///
  /// With a required journal, an event is reported after it is written, within a second. An event that cannot be written
  /// is not reported.
  package func receive(_ event: RunEvent, _ report: @escaping @Sendable () -> Void) {
    switch event.change {
    // A passkey to type is shown, and not recorded.
    case .remark(.pairingDisplay): return report()
    // The start and end of a suite are not recorded; the end is reported after the results of its tests.
    case .run(.groupStarted), .run(.groupFinished): return inOrder(isResult: false, report) {}
    case .run, .step, .data, .remark(.note): break
    }
    let chain = state.withLock { state -> Chain? in
      if case .run(.started) = event.change { state.chains[event.device] = state.recorder?.chain() }
      if case .run(.finished) = event.change {
        return state.chains.removeValue(forKey: event.device)
      }
      return state.chains[event.device]
    }
    guard let chain else { return report() }
    inOrder(isResult: event.isResult, report) { chain(event) }
  }

  /// A receiver of events, which records them before it calls `report`.
  package func receiving(
    _ report: @escaping @Sendable (RunEvent) -> Void
  ) -> @Sendable (RunEvent) -> Void {
    { [self] event in receive(event) { report(event) } }
  }

  /// Records an output of a watch, and reports it. A new run begins each day, in UTC, so that old runs can be pruned
  /// while the watch continues.
  package func receive(
    _ output: WatchOutput, of plan: WatchPlan, _ report: @escaping @Sendable () -> Void
  ) {
    if let identity = output.nextRun {
      _ = finish(.ok)
      do {
        try begin("watch", plan.definition, identity)
      } catch {
        state.withLock { $0.cancel }(RunFailure(error))
      }
    }
    if let event = output.recorded {
      receive(event, report)
    } else {
      inOrder(isResult: true, report) {}
    }
  }

  /// Records an event, and reports it after all earlier ones.
  private func inOrder(
    isResult: Bool, _ report: @escaping @Sendable () -> Void, record: () -> Void
  ) {
    switch options.need {
    case .optional:
      record()
      report()
    case .required:
      state.withLock { $0.held.append(HeldEvent(isResult: isResult, report: report)) }
      record()
      release()
    }
  }

  /// Reports the held events once they are written. If they cannot be written, results are left out.
  ///
  /// On the loop: at the end of a command, its thread records the last event while a timer may be reporting earlier ones.
  private func release() {
    loop.performAndWait { [self] in releaseHere() }
  }

  private func releaseHere() {
    let recorder = state.withLock { $0.recorder }
    let isWritten = recorder?.isWritten ?? true
    guard isWritten || recorder?.failure != nil else { return }
    let due = state.withLock { state in
      defer { state.held = [] }
      return state.held
    }
    for event in due where isWritten || !event.isResult { event.report() }
  }

  // MARK: The end

  /// Records the end of the last run, and closes the journal.
  ///
  /// - Returns: The status of the command with this journal.
  package func end(_ status: ExitStatus) -> ExitStatus { close(finish(status)) }

  /// Closes the journal, after the last run has ended.
  ///
  /// - Returns: The status of the command with this journal.
  package func close(_ status: ExitStatus) -> ExitStatus {
    file.close()
    let failed = state.withLock { state in
      defer { state = State { _ in } }
      return state.failed
    }
    return status.isInterruption ? status : failed ?? status
  }

  /// Records the end of the run.
  ///
  /// - Returns: The status of the run with this journal.
  @discardableResult
  func finish(_ status: ExitStatus) -> ExitStatus {
    guard let recorder = state.withLock({ $0.recorder }) else { return status }
    recorder.finish(status)
    release()
    state.withLock { ($0.recorder, $0.chains) = (nil, [:]) }
    let problem = problem(with: recorder)
    if let problem { StandardError.failure(problem) }
    if recorder.failure == nil { prune(sparing: recorder) }
    guard problem != nil, options.need == .required, !status.isInterruption else { return status }
    giveUp(.output)
    return .output
  }

  /// The message about missing records of a run, with the reason; nil for a complete run.
  private func problem(with recorder: RunRecorder) -> String? {
    let count = recorder.unwritten
    let missing = "\(counted(count, "record")) \(count == 1 ? "is" : "are")"
    if let failure = recorder.failure {
      return "\(failure). \(count == 0 ? "The end of the run is" : missing) not in it"
    }
    guard count > 0 else { return nil }
    return
      "the journal \(file.path): \(missing) not in it, because more came while it could not be "
      + "written than are kept; history shows the run as incomplete"
  }

  private func prune(sparing recorder: RunRecorder) {
    let retention = Retention(
      from: options.journalAge.map { Timestamp.text(recorder.time - $0) },
      mostOctets: options.journalSize, sparing: recorder.run,
      valuesFrom: options.journalValuesAge.map { Timestamp.text(recorder.time - $0) }
    )
    guard retention != Retention(sparing: recorder.run) else { return }
    do {
      _ = try file.prune(retention, isUnderWay: RunOwner.isThere)
    } catch {
      StandardError.failure("old runs stay: \(error)")
    }
  }
}

private struct HeldEvent: Sendable {
  let isResult: Bool
  let report: @Sendable () -> Void
}

extension RunEvent {
  /// Whether the event has a result of a step. Other events, such as the start and the end of a run, are reported even if
  /// they cannot be recorded.
  fileprivate var isResult: Bool {
    switch change {
    case .data, .remark(.note), .step(.finished): true
    case .run, .step(.started), .remark(.pairingDisplay): false
    }
  }
}

extension RunFailure {
  /// The failure of a run whose required journal could not be written.
  init(_ failure: JournalFailure) {
    self.init(
      code: .journalFailed, class: .unavailable, what: "writing the journal \(failure.path)",
      why: "\(failure.meaning) (\(failure.reason))", hint: failure.hint
    )
  }
}
