// A running batch: the receivers of its events, the handling of signals, and its exit status.

import BlueZ
package import Jobs
import Signals

/// A runner of a batch: on this host, or on a fleet.
package protocol BatchRunning: Sendable {
  /// Ends the running devices, and begins no further ones.
  func cancel(_ cause: any Error)
  func run(most: Int?) async -> ExitStatus
  /// The texts that report what a signal does to the batch.
  var interruptionText: (what: String, leaving: String?) { get }
}

extension BatchRunner: BatchRunning {
  package var interruptionText: (what: String, leaving: String?) {
    ("no further device begins; ending the chains under way and disconnecting", nil)
  }
}

/// The receivers of a running batch.
package struct BatchReceivers: Sendable {
  /// Called before the batch begins; waits until it may use the adapter.
  package let acquireAdapter: BatchRunner.AcquireAdapter
  /// Receives the events of the chains.
  package let onRunEvent: @Sendable (RunEvent) -> Void
  /// Receives the events of the batch.
  package let onEvent: @Sendable (BatchEvent) -> Void
}

package typealias MakeBatchRunning = @Sendable (BatchReceivers) -> any BatchRunning

/// A batch in its world.
struct RunningBatch: Sendable {
  let batch: Batch
  /// The command with the options.
  let command: BatchCommand
  /// The run that it resumes; nil for a new batch.
  let past: PreviousRound?
  let world: World
  let journal: BatchJournal?
  let reports: ReportFiles
  let metrics: MetricsFile?

  /// Runs the batch.
  ///
  /// - Parameter make: Creates the runner; nil for this host's adapter.
  func run(by make: MakeBatchRunning?) -> ExitStatus {
    let made = Guarded<(any BatchRunning)?>(nil)
    let showsSteps = command.eachStep || command.options.terminal.verbose
    let output = BatchOutput(in: world, as: command.running.printing.output, showsSteps: showsSteps)
    {
      failure in made.withLock { $0 }?.cancel(failure)
    }
    let receivers = receivers(output)
    let runner = make?(receivers) ?? localRunner(receivers)
    made.withLock { $0 = runner }
    defer { made.withLock { $0 = nil } }
    journal?.runs.onFailure { runner.cancel($0) }
    if let metrics { world.observeLinks { news in metrics.count { $0.record(news) } } }
    let (what, leaving) = runner.interruptionText
    world.interruption.cancels(what, leaving: leaving) { runner.cancel($0) }
    world.onLogicFailure { runner.cancel($0) }
    let most = command.runs
    let ended = Result { try world.loop.run { await runner.run(most: most) } }
    if let status = output.finishStatus(in: world) { return status }
    switch ended {
    case .success(let status): return status
    case .failure(let error):
      StandardError.failure("\(RunFailure(error))")
      return .failed
    }
  }

  /// Creates the runner for this host's adapter.
  private func localRunner(_ receivers: BatchReceivers) -> BatchRunner {
    BatchRunner(
      batch, on: world.scheduler, seed: world.identitySeed, resuming: past,
      runCommand: UserPrograms(on: world.loop).run,
      service: { [world, journal] target, link, lane in
        world.service(for: target, link, run: journal?.runs.run, on: lane)
      },
      acquireAdapter: receivers.acquireAdapter, onRunEvent: receivers.onRunEvent,
      onEvent: receivers.onEvent
    )
  }

  /// Returns the receivers. Events reach the journal first, then the output, the reports, and the metrics.
  private func receivers(_ output: BatchOutput) -> BatchReceivers {
    let (world, journal, reports, metrics) = (world, journal, reports, metrics)
    let wait = command.running.waiting.noWait ? nil : batchWait(output)
    return BatchReceivers(
      acquireAdapter: { identity, round in
        let release = try await world.beginBatch(wait)
        output.awaits(nil)
        do {
          try journal?.begin(identity, round: round)
        } catch {
          release()
          throw error
        }
        world.ledger?.setRun(journal?.runs.run)
        return release
      },
      onRunEvent: world.explaining { event in
        let report: @Sendable () -> Void = {
          output.receive(event)
          reports.receive(event)
          metrics?.count { $0.record(event) }
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

  /// Returns the handlers for waiting for another batch.
  private func batchWait(_ output: BatchOutput) -> HostLedger.BatchWait {
    HostLedger.BatchWait(limit: batch.deadline ?? .seconds(600)) { run in
      StandardError.notice("waiting for \(run), a batch over the same adapter")
      output.awaits(run)
    } mayContinue: { [world] in
      world.interruption.signal == nil
    }
  }
}

extension World {
  /// Marks the adapter as used by a batch, for this user's other batches.
  ///
  /// - Returns: A function that removes the mark.
  package func beginBatch() async throws -> @Sendable () -> Void { try await beginBatch(nil) }

  /// Marks the adapter as used by a batch, after waiting for another batch to end.
  func beginBatch(_ wait: HostLedger.BatchWait?) async throws -> @Sendable () -> Void {
    guard let ledger, case .success(let client) = client,
      let address = client.usableAddress(adapter)
    else { return {} }
    return try await ledger.beginBatch(at: address, on: loop, wait)
  }
}
