// The journal of a batch: each round is a run of it, with a chain for each device.

package import Jobs
import Journal
import Signals

/// Records the rounds of a batch in a journal.
///
/// The journal receives each event before other subscribers: with the end of a chain, the results of its device are
/// committed.
package final class BatchJournal: Sendable {
  /// Records the events of the chains.
  package let runs: RunJournal
  private let batch: Batch
  /// The absolute path of the batch file.
  private let path: String
  private let resumption: BatchResumption?
  /// The lock on the current round of a simulated batch, which has no owner in the journal.
  private let lock = Guarded<LockedFile?>(nil)

  package init(
    _ runs: RunJournal, of batch: Batch, at path: String,
    resuming resumption: BatchResumption? = nil
  ) {
    self.runs = runs
    self.batch = batch
    self.path = path
    self.resumption = resumption
  }

  /// Records the start, or the resumption, of a round.
  ///
  /// - Throws: ``RunFailure`` if a required journal cannot be written.
  package func begin(_ identity: RunIdentity, round: Int) throws(RunFailure) {
    do {
      if let resumption {
        try runs.resume(resumption.run, of: resumption.owner)
        lock.withLock { $0 = resumption.lock }
      } else {
        let definition = batch.lines.joined(separator: "\n")
        let digest = batch.digest
        let origin = BatchOrigin(file: path, name: batch.name, digest: digest, round: round)
        try runs.begin("batch", definition, identity, batch: origin)
        // A simulated run has no owner in the journal. Without the lock it runs, and another process could resume
        // it meanwhile.
        if runs.isSimulated, let run = runs.run,
          case .held(let file) = LockedFile.attempt(ofRun: run, in: runs.file.path)
        {
          lock.withLock { $0 = file }
        }
      }
    } catch {
      // A run that another process has just resumed is no failure of the journal file.
      runs.giveUp(resumption != nil && error.kind == .locked ? .passing : .output)
      throw RunFailure(error)
    }
  }

  package func receive(_ event: BatchEvent) {
    switch event.change {
    case .waiting, .deviceEnded: break
    case .started(let start):
      guard resumption?.past.devices.isEmpty ?? true else { return }
      runs.record(start.devices.map { BatchMember(device: $0.label, name: $0.name) })
    case .finished(let ending):
      runs.finish(ending.exitStatus)
      lock.withLock { lock in
        lock?.remove()
        lock = nil
      }
    }
  }
}
