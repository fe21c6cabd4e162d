// The journal of a batch: each round is a run of it, with a chain for each device.

package import Jobs
import Journal
import Signals

/// The rounds of a batch in a journal.
///
/// The journal receives everything before anybody else does: the results of a device are committed when
/// it has received the end of its chain.
package final class BatchJournal: Sendable {
  /// What receives the events of the chains.
  package let runs: RunJournal
  private let batch: Batch
  /// The whole path of the batch's file.
  private let path: String
  private let resumption: BatchResumption?
  /// What keeps others from the round under way, where no owner in the journal does.
  private let lock = Guarded<LockedFile?>(nil)

  package init(
    _ runs: RunJournal, of batch: Batch, at path: String,
    goingOn resumption: BatchResumption? = nil
  ) {
    self.runs = runs
    self.batch = batch
    self.path = path
    self.resumption = resumption
  }

  /// Writes down that a round begins, or goes on.
  ///
  /// - Throws: ``RunFailure`` when that fails and the batch cannot do without.
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
        // A simulated run has no owner in the journal. Without the lock it runs all the same: then nothing
        // keeps another process from resuming it meanwhile.
        if runs.isSimulated, let run = runs.run,
          case .held(let file) = LockedFile.attempt(ofRun: run, in: runs.file.path)
        {
          lock.withLock { $0 = file }
        }
      }
    } catch {
      // Another process that resumes the run is not a problem of the file.
      runs.giveUp(resumption != nil && error.kind == .locked ? .passing : .output)
      throw RunFailure(error)
    }
  }

  package func receive(_ event: BatchEvent) {
    switch event.change {
    case .waiting, .deviceEnded: break
    case .started(let start):
      guard resumption?.past.devices.isEmpty ?? true else { return }
      runs.take(start.devices.map { BatchMember(device: $0.label, name: $0.name) })
    case .finished(let ending):
      runs.finish(ending.exitStatus)
      lock.withLock { lock in
        lock?.remove()
        lock = nil
      }
    }
  }
}
