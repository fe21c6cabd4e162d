// The events of a batch itself, without those of the runs on its devices.

/// One event of a batch.
///
/// The order is: waiting, before a round that follows another; started; the events of the runs, with
/// device-ended after the last of each; finished, when all devices are disconnected.
public struct BatchEvent: Equatable, Sendable {
  /// What happened.
  public enum Change: Equatable, Sendable {
    /// The next round begins at this wall-clock time; so many earlier times passed during the last.
    case waiting(until: Duration, missed: Int)
    /// The batch, or one round of a repeated batch, began.
    case started(BatchStart)
    /// A device has ended, including its clean-up. A receiver must have stored its results when it
    /// returns: only then the next device begins in the lane.
    case deviceEnded(BatchDevice, RunEnding, BatchCounts)
    /// All devices have ended.
    case finished(BatchEnding)
  }

  /// A function of the seed, the batch and the round.
  public let batch: RunIdentity
  /// The ordinal of the round in the batch, from 1.
  public let round: Int
  /// The time since the start of the round, on the clock of the loop; zero before it.
  public let offset: Duration
  /// The wall-clock time, since 1970-01-01T00:00:00Z.
  public let wallClock: Duration
  /// What happened.
  public let change: Change

  /// An event; what runs a batch makes them.
  package init(
    batch: RunIdentity, round: Int, offset: Duration, wallClock: Duration, change: Change
  ) {
    self.batch = batch
    self.round = round
    self.offset = offset
    self.wallClock = wallClock
    self.change = change
  }
}

/// A round at its start.
public struct BatchStart: Equatable, Sendable {
  /// The name of the batch, if it has one.
  public let name: String?
  /// The devices, in the order in which they begin.
  public let devices: [BatchDevice]
  /// The maximum number of devices at a time.
  public let concurrency: Int
  /// The outcomes of an earlier run, in a resumed round; the devices are the remaining ones.
  public let past: BatchPast?

  package init(name: String?, devices: [BatchDevice], concurrency: Int, past: BatchPast? = nil) {
    self.name = name
    self.devices = devices
    self.concurrency = concurrency
    self.past = past
  }
}

/// How a round ended.
public struct BatchEnding: Equatable, Sendable {
  /// How a round ended.
  public enum Status: String, Hashable, Sendable {
    /// All devices succeeded.
    case ok
    /// A device failed, or the round itself.
    case failed
    /// It was cancelled: by a signal, or by its deadline.
    case cancelled
  }

  /// How it ended.
  public let status: Status
  /// How many devices succeeded, failed and were cancelled.
  public let counts: BatchCounts
  /// The labels of the devices that did not begin.
  public let notRun: [String]
  /// Why the round itself failed: its deadline, or a scan that found too few devices. Failures of
  /// devices are in their own endings.
  public let failure: RunFailure?
  /// The exit status of a process that runs only this round.
  public let exitStatus: ExitStatus

  package init(_ counts: BatchCounts, notRun: [String], failure: RunFailure?, isCancelled: Bool) {
    self.counts = counts
    self.notRun = notRun
    self.failure = failure
    var all = counts
    all.count(failure?.class)
    let isOK = counts.failed + counts.cancelled == 0 && failure == nil
    status = isCancelled ? .cancelled : isOK ? .ok : .failed
    let ofFailure = ExitStatus(after: failure)
    exitStatus =
      failure?.signal != nil || ofFailure == .output
      ? ofFailure : all.exitStatus(others: failure == nil ? 0 : 1)
  }
}
