// What happens in a batch beside the runs on its devices, as values.

/// One thing that happened in a batch.
///
/// The order is: waiting, when there is a schedule; started; the events of the runs, with
/// device-ended after the last of each; finished, when all that was connected is disconnected.
public struct BatchEvent: Equatable, Sendable {
  public enum Change: Equatable, Sendable {
    /// The next round begins then.
    case waiting(ScheduleTimes.Beginning)
    case started(BatchStart)
    /// A device has ended, its clean-up included. What is to be kept of it must have been kept when
    /// this returns: only then the next device begins in its place.
    case deviceEnded(BatchDevice, RunEnding, BatchCounts)
    case finished(BatchEnding)
  }

  /// A function of the seed, the batch and the round.
  public let batch: RunIdentity
  /// The how manyth run of the whole batch it is, from 1.
  public let round: Int
  /// How long after the start of the round, on the loop's clock; zero before it.
  public let offset: Duration
  /// The wall-clock time, since 1970-01-01T00:00:00Z.
  public let wallClock: Duration
  public let change: Change
}

/// What is known of a round at its start.
public struct BatchStart: Equatable, Sendable {
  public let name: String?
  /// The devices, in the order in which they begin.
  public let devices: [BatchDevice]
  public let concurrency: Int
  /// What was done before, where the round goes on; the devices are those that are left.
  public let past: BatchPast?
}

/// How a round ended.
public struct BatchEnding: Equatable, Sendable {
  public enum Status: String, Hashable, Sendable {
    case ok
    case failed
    /// It was ended from outside: by a signal, by its deadline.
    case cancelled
  }

  public let status: Status
  public let counts: BatchCounts
  /// The labels of the devices that did not begin.
  public let notRun: [String]
  /// Why the round as a whole did not go well: its deadline, a scan that found too few. Failures of
  /// devices are theirs.
  public let failure: RunFailure?
  /// What the process ends with when this round is all it did.
  public let exitStatus: ExitStatus

  init(_ counts: BatchCounts, notRun: [String], failure: RunFailure?, isCancelled: Bool) {
    self.counts = counts
    self.notRun = notRun
    self.failure = failure
    var all = counts
    all.count(failure?.class)
    let isWell = counts.failed + counts.cancelled == 0 && failure == nil
    status = isCancelled ? .cancelled : isWell ? .ok : .failed
    let ofFailure = ExitStatus(after: failure)
    exitStatus =
      failure?.signal != nil || failure?.code == .journalFailed
      ? ofFailure : all.exitStatus(others: failure == nil ? 0 : 1)
  }
}
