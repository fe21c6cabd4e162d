// Events of a batch as a whole.
//
// The events of the runs on its devices are in RunEvent.swift.

/// An event of a batch.
///
/// The order is: `waiting`, before every round but the first; `started`; the events of the runs,
/// with `deviceEnded` after the last of each; `finished`, when all devices are disconnected.
public struct BatchEvent: Equatable, Sendable {
  public enum Change: Equatable, Sendable {
    /// The next round begins at this wall-clock time; `missed` start times passed during the last
    /// round.
    case waiting(until: Duration, missed: Int)
    /// A round began; a batch without an interval has only one.
    case started(BatchStart)
    /// A device ended, including its cleanup. The receiver must store the results before it
    /// returns: the next device of the lane begins right after.
    case deviceEnded(BatchDevice, RunEnding, BatchCounts)
    /// All devices of the round ended.
    case finished(BatchEnding)
  }

  /// The identity of the round, derived from the seed, the batch and the round number.
  public let batch: RunIdentity
  /// The number of the round, from 1.
  public let round: Int
  /// The time since the round began, on the clock of the loop; zero before that.
  public let offset: Duration
  /// The wall-clock time, since 1970-01-01T00:00:00Z.
  public let wallClock: Duration
  public let change: Change

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

/// The state of a round at its start.
public struct BatchStart: Equatable, Sendable {
  /// The name of the batch, if it has one.
  public let name: String?
  /// The devices, in the order in which they begin.
  public let devices: [BatchDevice]
  /// The maximum number of devices at a time.
  public let concurrency: Int
  /// In a resumed round, the outcomes of the interrupted run; `devices` has only the remaining
  /// ones.
  public let past: BatchPast?

  package init(name: String?, devices: [BatchDevice], concurrency: Int, past: BatchPast? = nil) {
    self.name = name
    self.devices = devices
    self.concurrency = concurrency
    self.past = past
  }
}

/// The outcome of a round.
public struct BatchEnding: Equatable, Sendable {
  /// The outcome of a round in one word.
  public enum Status: String, Hashable, Sendable {
    case ok
    /// A device failed, or the round itself did.
    case failed
    /// A signal or the deadline cancelled the round.
    case cancelled
  }

  public let status: Status
  /// The number of devices by outcome.
  public let counts: BatchCounts
  /// The labels of the devices that did not begin.
  public let notRun: [String]
  /// The failure of the round itself: its deadline, or a scan that found too few devices. Failures
  /// of devices are in their own endings.
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
