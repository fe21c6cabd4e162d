// A batch under way: its reports, its progress, signals of the system, and its exit status.

import BlueZ
import Bluetooth
package import Jobs
import Signals

/// What runs a batch: this host, or a fleet.
package protocol BatchRunning: Sendable {
  /// No further device begins, and those under way end.
  func cancel(_ cause: any Error)
  /// Runs the batch to its end.
  func run(most: Int?) async -> ExitStatus
  /// What a signal does to it.
  var interruptionText: (what: String, leaving: String?) { get }
}

extension BatchRunner: BatchRunning {
  package var interruptionText: (what: String, leaving: String?) {
    ("no further device begins; ending the chains under way and disconnecting", nil)
  }
}

/// What a batch under way reports to.
package struct BatchReceivers: Sendable {
  /// Called before it begins.
  package let admission: BatchRunner.Admission
  /// Receives the events of the chains.
  package let onRunEvent: @Sendable (RunEvent) -> Void
  /// Receives the events of the batch.
  package let onEvent: @Sendable (BatchEvent) -> Void
}

/// Makes what runs a batch.
package typealias MakeBatchRunning = @Sendable (BatchReceivers) -> any BatchRunning

/// Puts a batch, a world and the two output streams together.
final class RunningBatch: Sendable {
  private struct State {
    var recorder = RunCollector(condenses: true)
    var progress: BatchProgress?
    /// Which run is waited for.
    var awaited: String?
  }

  private let batch: Batch
  private let command: BatchCommand
  private let past: BatchPast?
  private let world: World
  private let journal: BatchJournal?
  private let reports: ReportFiles
  private let metrics: MetricsFile?
  private let format: ChainOutputOptions.Output
  private let text: BatchTextReport
  private let json = JSONLinesReport()
  private let output: StandardOutput
  private let printed: EventOutput
  private let line: StatusLine?
  private let state = Guarded(State())
  private let runner = Guarded<(any BatchRunning)?>(nil)

  /// - Parameters:
  ///   - command: Whose options it goes by.
  ///   - past: What it resumes; nil for a batch that begins.
  init(
    _ batch: Batch,
    of command: BatchCommand,
    goingOn past: BatchPast?,
    in world: World,
    journal: BatchJournal?,
    reports: ReportFiles,
    metrics: MetricsFile?
  ) {
    self.batch = batch
    self.command = command
    self.past = past
    self.world = world
    self.journal = journal
    self.reports = reports
    self.metrics = metrics
    format = command.printing.output
    text = BatchTextReport(showsSteps: command.eachStep || command.options.terminal.verbose)
    let runner = runner
    output = StandardOutput(in: world) { failure in runner.withLock { $0 }?.cancel(failure) }
    printed = EventOutput(output, as: format == .json ? json : text, isForPeople: format == .text)
    line = StatusLine(on: world.loop, printsData: format == .json) {
      [state] now, size in
      let (columns, (progress, awaited)) =
        (size.columns, state.withLock { ($0.progress, $0.awaited) })
      if let awaited {
        return [ColumnText.line("waiting for \(awaited)", details: "", end: "", columns: columns)]
      }
      return progress.map { [$0.line(at: now.sinceStart, width: columns)] } ?? []
    }
  }

  /// Runs the batch to its end.
  ///
  /// - Parameter make: Makes what runs it; nil for the adapter.
  func run(by make: MakeBatchRunning?) -> ExitStatus {
    let (world, journal) = (world, journal)
    let receivers = BatchReceivers(
      admission: { [self] identity, round in
        let giveBack = try await world.beginBatch(batchWait)
        state.withLock { $0.awaited = nil }
        do {
          try journal?.begin(identity, round: round)
        } catch {
          giveBack()
          throw error
        }
        world.ledger?.isRun(journal?.runs.run)
        return giveBack
      },
      onRunEvent: world.explaining { [self] in receive($0) },
      onEvent: { [self] in receive($0) }
    )
    let runner = make?(receivers) ?? localRunner(receivers)
    self.runner.withLock { $0 = runner }
    journal?.runs.onFailure { runner.cancel($0) }
    if let metrics { world.observeLinks { news in metrics.count { $0.take(news) } } }
    let (what, leaving) = runner.interruptionText
    world.interruption.cancels(what, leaving: leaving) { runner.cancel($0) }
    world.onLogicFailure { runner.cancel($0) }
    defer { self.runner.withLock { $0 = nil } }
    let most = command.runs
    let ended = Result { try world.loop.run { await runner.run(most: most) } }
    line?.end()
    if let failure = printed.finish() {
      StandardError.failure("\(failure)")
      return world.interruption.signal.map { .interrupted(by: $0.number) } ?? .output
    }
    switch ended {
    case .success(let status): return status
    case .failure(let error):
      StandardError.failure("\(RunFailure(error))")
      return .failed
    }
  }

  /// How it waits for another batch; nil: not at all.
  private var batchWait: HostLedger.BatchWait? {
    guard !command.waiting.noWait else { return nil }
    return HostLedger.BatchWait(limit: batch.deadline ?? .seconds(600)) { [state, line] run in
      StandardError.notice("waiting for \(run), a batch over the same adapter")
      state.withLock { $0.awaited = run }
      line?.show()
    } goesOn: { [world] in
      world.interruption.signal == nil
    }
  }

  /// Runs it on the adapter.
  private func localRunner(_ receivers: BatchReceivers) -> BatchRunner {
    let (world, journal) = (world, journal)
    return BatchRunner(
      batch,
      on: world.scheduler,
      seed: world.identitySeed,
      goingOn: past,
      runCommand: UserPrograms(on: world.loop).run,
      service: { target, link, lane in
        world.service(for: target, link, run: journal?.runs.run, on: lane)
      },
      admission: receivers.admission,
      onRunEvent: receivers.onRunEvent,
      onEvent: receivers.onEvent
    )
  }

  // MARK: What happens

  private func receive(_ event: RunEvent) {
    guard let journal else { return report(event) }
    journal.runs.receive(event) { [self] in report(event) }
  }

  private func report(_ event: RunEvent) {
    if format == .text { state.withLock { $0.recorder.take(event) } }
    switch format {
    case .text, .json: printed.receive(event)
    case .junit, .tap: break
    }
    reports.receive(event)
    metrics?.count { $0.take(event) }
  }

  private func receive(_ event: BatchEvent) {
    journal?.receive(event)
    if format == .text { state.withLock { $0.recorder.take(event) } }
    if format == .json { for text in json.lines(for: event) { output.line(text) } }
    reports.receive(event)
    metrics?.count { $0.take(event) }
    switch event.change {
    case .waiting: break
    case .started(let start): begin(start)
    case .deviceEnded(_, _, let counts): took(counts)
    case .finished(let ending): finish(ending)
    }
    for remark in text.remarks(on: event) {
      if case .finished(let ending) = event.change {
        // That the output cannot be written is reported when the program ends.
        guard !ending.isOutputClosed else { continue }
        StandardError.failure(remark)
      } else {
        StandardError.notice(remark)
      }
    }
  }

  private func finish(_ ending: BatchEnding) {
    let ended = state.withLock { state in
      defer { state = State() }
      return state
    }
    let recorder = ended.recorder
    line?.show()
    let isQuiet = StandardStreams.ofProcess.presentation.isQuiet
    guard format == .text, !isQuiet || ending.status != .ok,
      !recorder.runs.isEmpty || !ending.notRun.isEmpty
    else { return }
    let summary = SummaryReport().text(on: recorder.runs, of: recorder.whole)
    output.lines(String(summary.dropLast()))
  }

  // MARK: Progress

  private var now: Duration { world.loop.now.sinceStart }

  private func begin(_ start: BatchStart) {
    let before = start.past?.counts ?? BatchCounts()
    let total = start.devices.count + before.done
    state.withLock { state in
      state.progress = BatchProgress(total: total, begun: now, before: before)
    }
    line?.show()
  }

  private func took(_ counts: BatchCounts) {
    let (isNews, progress) = state.withLock { state in
      (state.progress?.take(counts) ?? false, state.progress)
    }
    if let line { return line.show() }
    guard isNews, let progress else { return }
    StandardError.notice(progress.text(at: now))
  }
}

extension BatchEnding {
  /// Whether it ended because its output could not be written.
  fileprivate var isOutputClosed: Bool {
    failure?.code == .interrupted && exitStatus == .output
  }
}

extension World {
  /// Shows this user's other batches that one runs over the adapter that is used now.
  ///
  /// - Returns: Ends the mark.
  package func beginBatch() async throws -> @Sendable () -> Void { try await beginBatch(nil) }

  /// The same, once another batch has ended.
  func beginBatch(
    _ wait: HostLedger.BatchWait?
  ) async throws -> @Sendable () -> Void {
    guard let ledger, case .success(let client) = client,
      let address = client.usableAddress(adapter)
    else { return {} }
    return try await ledger.beginBatch(at: address, on: loop, wait)
  }
}
