// The journal of a command: opened before anything is touched, first to receive events, ended last.

import Bluetooth
package import Jobs
import Journal
package import Signals

/// A journal that can be written, and how.
package struct OpenJournal: Sendable {
  let file: JournalFile
  let options: JournalOptions

  package func begin(
    _ command: String, _ definition: String, _ identity: RunIdentity, in world: World,
    on scheduler: SerialScheduler? = nil
  ) throws(Ending) -> RunJournal {
    let journal = RunJournal(self, in: world, on: scheduler)
    do {
      try journal.begin(command, definition, identity)
    } catch {
      throw Ending(.output, "\(error)")
    }
    return journal
  }
}

extension JournalOptions {
  /// Opens the journal that the options name.
  ///
  /// - Returns: Nil when none is written, or an optional one cannot be, which is then printed.
  package func open(isSimulated: Bool) throws(Ending) -> OpenJournal? {
    guard let path = try path(isSimulated: isSimulated) else { return nil }
    do {
      return OpenJournal(file: try JournalFile(writing: path, sync: journalSync), options: self)
    } catch {
      if need == .required { throw Ending(.output, "\(error)") }
      StandardError.failure("this run is in no journal: \(error)")
      return nil
    }
  }
}

/// A journal that is being written, and what is done when it fails.
///
/// It has one run at a time: a chain, a suite, a round of a batch, or a day of a watch.
package final class RunJournal: Sendable {
  private typealias Chain = @Sendable (RunEvent) -> Void

  private struct State {
    /// The run under way.
    var recorder: RunRecorder?
    /// What records the events of its chains, by their devices.
    var chains: [String: Chain] = [:]
    /// Events that are not reported yet, in their order.
    var held: [HeldEvent] = []
    /// What the command ends with where a run could not be written as it must be.
    var failed: ExitStatus?
    /// Ends the chains when a required journal fails.
    var cancel: @Sendable (RunFailure) -> Void
  }

  let file: JournalFile
  private let options: JournalOptions
  private let loop: Loop
  let isSimulated: Bool
  private let state: Guarded<State>

  /// - Parameter scheduler: Its chains are cancelled when a required journal fails; nil for the world's own.
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

  /// Has something else ended when a required journal fails under way. It is kept until the end.
  package func onFailure(_ cancel: @escaping @Sendable (RunFailure) -> Void) {
    state.withLock { $0.cancel = cancel }
  }

  /// The number of the run under way; nil as long as it could not be written.
  package var run: Int64? { state.withLock { $0.recorder }?.run }

  // MARK: Runs

  /// - Throws: What a required journal fails with at once.
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
    // Also one that fails: what a required journal cannot have is not reported.
    state.withLock { $0.recorder = recorder }
    recorder.begin()
    if options.need == .required, let failure = recorder.failure { throw failure }
  }

  /// Records that this process resumes a run.
  ///
  /// - Parameter owner: Who had it last.
  /// - Throws: What the journal fails with at once, required or not.
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

  /// Gives up the run under way: the command ends with this status, unless a signal ends it.
  func giveUp(_ status: ExitStatus) {
    state.withLock { state in
      (state.recorder, state.chains) = (nil, [:])
      state.failed = state.failed ?? status
    }
  }

  /// Writes down which devices a run of a batch is for.
  func take(_ devices: [BatchMember]) { state.withLock { $0.recorder }?.take(devices) }

  // MARK: What happens

  /// Records an event of a chain, and reports it.
  ///
  /// A required journal has an event before it is reported: events wait until everything before
  /// them is written, a second at most. What it cannot have is not reported.
  package func receive(_ event: RunEvent, _ report: @escaping @Sendable () -> Void) {
    let chain = state.withLock { state -> Chain? in
      if case .runStarted = event.change { state.chains[event.device] = state.recorder?.chain() }
      if case .runFinished = event.change { return state.chains.removeValue(forKey: event.device) }
      return state.chains[event.device]
    }
    // Nothing is recorded of what a person has to type now.
    if case .pairingDisplay = event.change { return report() }
    guard let chain else { return report() }
    inOrder(isResult: event.isResult, report) { chain(event) }
  }

  /// What receives the events of chains: the journal, then `report`.
  package func receiving(
    _ report: @escaping @Sendable (RunEvent) -> Void
  ) -> @Sendable (RunEvent) -> Void {
    { [self] event in receive(event) { report(event) } }
  }

  /// Records an output of a watch, and reports it. Each day, in UTC, the run of the watch ends and
  /// another one begins, so that old runs can be pruned while it goes on.
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

  /// Reports what was recorded, behind all that was recorded before.
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

  /// Reports what waits, once it is written; without results where it cannot be.
  private func release() {
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

  /// Writes down how the last run ended, and closes the journal.
  ///
  /// - Returns: The status of the command with this journal.
  package func end(_ status: ExitStatus) -> ExitStatus { close(finish(status)) }

  /// Closes the journal, when all runs are over.
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

  /// Writes down how the run ended.
  ///
  /// - Returns: The status of the run with this journal.
  @discardableResult
  func finish(_ status: ExitStatus) -> ExitStatus {
    guard let recorder = state.withLock({ $0.recorder }) else { return status }
    recorder.finish(status)
    release()
    state.withLock { ($0.recorder, $0.chains) = (nil, [:]) }
    let complaint = complaint(about: recorder)
    if let complaint { StandardError.failure(complaint) }
    if recorder.failure == nil { prune(sparing: recorder) }
    guard complaint != nil, options.need == .required, !status.isInterruption else { return status }
    giveUp(.output)
    return .output
  }

  /// What the journal does not have of a run, and why; nil when it has all.
  private func complaint(about recorder: RunRecorder) -> String? {
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
  /// Whether it has something that came of a step: the start and the end of a run are reported also
  /// when nothing is recorded, with the reason.
  fileprivate var isResult: Bool {
    switch change {
    case .value, .advertisement, .gap, .note, .stepFinished: true
    case .runStarted, .stepStarted, .pairingDisplay, .runFinished: false
    }
  }
}

extension RunFailure {
  /// A required journal could not be written.
  init(_ failure: JournalFailure) {
    self.init(
      code: .journalFailed, class: .unavailable, what: "writing the journal \(failure.path)",
      why: "\(failure.meaning) (\(failure.reason))", hint: failure.hint
    )
  }
}
