// A batch under way: who receives what happens, signals of the system, and its exit status.

import BlueZ
package import Jobs
import Signals

/// What runs a batch: this host, or a fleet.
package protocol BatchRunning: Sendable {
  /// No further device begins, and those under way end.
  func cancel(_ cause: any Error)
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

package typealias MakeBatchRunning = @Sendable (BatchReceivers) -> any BatchRunning

/// A batch in a world: who receives what happens, and how it ends.
struct RunningBatch: Sendable {
  let batch: Batch
  /// Whose options it goes by.
  let command: BatchCommand
  /// What it resumes; nil for a batch that begins.
  let past: BatchPast?
  let world: World
  let journal: BatchJournal?
  let reports: ReportFiles
  let metrics: MetricsFile?

  /// - Parameter make: Makes what runs it; nil for the adapter.
  func run(by make: MakeBatchRunning?) -> ExitStatus {
    let made = Guarded<(any BatchRunning)?>(nil)
    let showsSteps = command.eachStep || command.options.terminal.verbose
    let output = BatchOutput(in: world, as: command.printing.output, showsSteps: showsSteps) {
      failure in made.withLock { $0 }?.cancel(failure)
    }
    let receivers = receivers(output)
    let runner = make?(receivers) ?? localRunner(receivers)
    made.withLock { $0 = runner }
    defer { made.withLock { $0 = nil } }
    journal?.runs.onFailure { runner.cancel($0) }
    if let metrics { world.observeLinks { news in metrics.count { $0.take(news) } } }
    let (what, leaving) = runner.interruptionText
    world.interruption.cancels(what, leaving: leaving) { runner.cancel($0) }
    world.onLogicFailure { runner.cancel($0) }
    let most = command.runs
    let ended = Result { try world.loop.run { await runner.run(most: most) } }
    if let status = output.failed(in: world) { return status }
    switch ended {
    case .success(let status): return status
    case .failure(let error):
      StandardError.failure("\(RunFailure(error))")
      return .failed
    }
  }

  /// Runs it on the adapter.
  private func localRunner(_ receivers: BatchReceivers) -> BatchRunner {
    BatchRunner(
      batch, on: world.scheduler, seed: world.identitySeed, goingOn: past,
      runCommand: UserPrograms(on: world.loop).run,
      service: { [world, journal] target, link, lane in
        world.service(for: target, link, run: journal?.runs.run, on: lane)
      },
      admission: receivers.admission, onRunEvent: receivers.onRunEvent, onEvent: receivers.onEvent
    )
  }

  /// Who receives what happens, in this order: the journal, what is printed, the reports, the metrics.
  private func receivers(_ output: BatchOutput) -> BatchReceivers {
    let (world, journal, reports, metrics) = (world, journal, reports, metrics)
    let wait = command.waiting.noWait ? nil : batchWait(output)
    return BatchReceivers(
      admission: { identity, round in
        let giveBack = try await world.beginBatch(wait)
        output.awaits(nil)
        do {
          try journal?.begin(identity, round: round)
        } catch {
          giveBack()
          throw error
        }
        world.ledger?.isRun(journal?.runs.run)
        return giveBack
      },
      onRunEvent: world.explaining { event in
        let report: @Sendable () -> Void = {
          output.receive(event)
          reports.receive(event)
          metrics?.count { $0.take(event) }
        }
        if let journal { journal.runs.receive(event, report) } else { report() }
      },
      onEvent: { event in
        journal?.receive(event)
        output.receive(event)
        reports.receive(event)
        metrics?.count(event)
      }
    )
  }

  /// How it waits for another batch.
  private func batchWait(_ output: BatchOutput) -> HostLedger.BatchWait {
    HostLedger.BatchWait(limit: batch.deadline ?? .seconds(600)) { run in
      StandardError.notice("waiting for \(run), a batch over the same adapter")
      output.awaits(run)
    } goesOn: { [world] in
      world.interruption.signal == nil
    }
  }
}

extension World {
  /// Shows this user's other batches that one runs over the adapter that is used now.
  ///
  /// - Returns: Ends the mark.
  package func beginBatch() async throws -> @Sendable () -> Void { try await beginBatch(nil) }

  /// The same, once another batch has ended.
  func beginBatch(_ wait: HostLedger.BatchWait?) async throws -> @Sendable () -> Void {
    guard let ledger, case .success(let client) = client,
      let address = client.usableAddress(adapter)
    else { return {} }
    return try await ledger.beginBatch(at: address, on: loop, wait)
  }
}
