// Batches that a page starts: each has lanes of its own, and a run of its own in the journal.

import Dashboard
import Jobs
import Journal
import Program
import Signals

extension DashboardWork {
  /// How long the beginning of a batch may take: that of its run in the journal.
  private static let beginLimit = Duration.seconds(20)

  func runBatch(_ name: String) async throws(DashboardRefusal) -> RunKey {
    let batch = try batch(name)
    let ordinal = try nextRun()
    let begun = Guarded<Completion<RunKey>?>(nil)
    state.withLock { $0.beginning += 1 }
    defer { state.withLock { $0.beginning -= 1 } }
    let record = try batchJournal(of: batch, name)
    do {
      return try await wait(on: loop, operation: "beginning \(name)", limit: Self.beginLimit) {
        (done: Completion<RunKey>) in
        begun.withLock { $0 = done }
        start(batch, called: name, ordinal, record) { result in
          begun.withLock { $0 }?.end(result.mapError { $0 as any Error })
        }
      }
    } catch {
      throw error as? DashboardRefusal ?? DashboardRefusal("\(RunFailure(error))")
    }
  }

  /// Runs a batch to its end.
  ///
  /// - Parameter begun: Called with the key of its run, or with why there is none; the first call
  ///   counts.
  private func start(
    _ batch: Batch, called name: String, _ ordinal: Int, _ record: BatchJournal?,
    begun: @escaping @Sendable (Result<RunKey, DashboardRefusal>) -> Void
  ) {
    let key = Guarded<RunKey?>(nil)
    let runner = Guarded<BatchRunner?>(nil)
    let made = BatchRunner(
      batch,
      on: SerialScheduler(on: loop, name: "batch \(ordinal)"),
      seed: world.identitySeed,
      service: { [world] target, link, lane in
        world.service(for: target, link, run: record?.runs.run, on: lane)
      },
      admission: { [self] identity, round in
        if state.withLock({ $0.isEnding }) { throw CancellationError() }
        let giveBack = try await world.beginBatch()
        do {
          try record?.begin(identity, round: round)
        } catch {
          giveBack()
          throw error
        }
        let run = record?.runs.run
        let own = run.map { RunKey.recorded($0) } ?? .unrecorded(ordinal)
        key.withLock { $0 = own }
        hub.receive(.batchBegan(own, batch: batch.name ?? name))
        state.withLock { state in
          state.runs[own] = Job(
            run: { run },
            end: { cause in runner.withLock { $0 }?.cancel(cause ?? CancellationError()) }
          )
        }
        begun(.success(own))
        return giveBack
      },
      onRunEvent: world.explaining { [hub, metrics] event in
        let show: @Sendable () -> Void = {
          metrics.withLock { $0.take(event) }
          if let key = key.withLock({ $0 }) { hub.receive(.batchChain(key, event)) }
        }
        if let record { record.runs.receive(event, show) } else { show() }
      },
      onEvent: { [hub, metrics] event in
        record?.receive(event)
        metrics.withLock { $0.take(event) }
        if let key = key.withLock({ $0 }) { hub.receive(.batch(key, event)) }
        // A round that was not admitted ends at once.
        if case .finished(let ending) = event.change {
          let why = ending.failure?.description ?? "it ended at once"
          begun(.failure(DashboardRefusal("\(name): \(why)")))
        }
      }
    )
    runner.withLock { $0 = made }
    record?.runs.onFailure { made.cancel($0) }
    _ = loop.task { [self] in
      let status = await made.run(most: 1)
      _ = record?.runs.close(status)
      runner.withLock { $0 = nil }
      state.withLock { state in
        if let key = key.withLock({ $0 }) { state.runs[key] = nil }
      }
    }
  }

  private func batch(_ name: String) throws(DashboardRefusal) -> Batch {
    guard let path = files.batches[name] else {
      throw DashboardRefusal("'\(name)' is not a batch of the folder of --allow-run")
    }
    let batch: Batch
    do {
      batch = try Batch.load(path: path, with: Bindings(), names: names)
    } catch {
      throw DashboardRefusal("\(error)")
    }
    guard batch.every == nil else {
      throw DashboardRefusal("\(name) has 'every': run it with blerun batch")
    }
    guard batch.plans.allSatisfy(\.commands.isEmpty) else {
      throw DashboardRefusal("\(name) runs programs: run it with blerun batch --allow-command")
    }
    return batch
  }

  private func batchJournal(
    of batch: Batch, _ name: String
  ) throws(DashboardRefusal) -> BatchJournal? {
    guard let path = files.batches[name] else { return nil }
    do throws(Ending) {
      return try openJournal().map {
        BatchJournal(RunJournal($0, in: world), of: batch, at: Batch.wholePath(of: path))
      }
    } catch {
      throw refusal(error)
    }
  }
}
