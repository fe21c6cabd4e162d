// Events of a batch as a whole.
//
// The events of the runs on its devices are in RunEvent.swift.

public import Bluetooth

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
    case deviceEnded(ReportedDevice, RunEnding, BatchCounts)
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

/// A device of a batch, as reports and journals show it.
public struct ReportedDevice: Hashable, Sendable {
  /// The name in output, unique in the batch.
  public let label: String
  /// The address or name by which the device is found.
  public let target: DeviceTarget
  /// The advertised name of a device that a scan found; nil for a listed device.
  public let name: String?

  package init(label: String, target: DeviceTarget, name: String?) {
    self.label = label
    self.target = target
    self.name = name
  }
}

/// The state of a round at its start.
public struct BatchStart: Equatable, Sendable {
  /// The name of the batch, if it has one.
  public let name: String?
  /// The devices, in the order in which they begin.
  public let devices: [ReportedDevice]
  /// The maximum number of devices at a time.
  public let concurrency: Int
  /// In a resumed round, the outcomes of the interrupted run; `devices` has only the remaining
  /// ones.
  public let past: PreviousRound?

  package init(
    name: String?, devices: [ReportedDevice], concurrency: Int, past: PreviousRound? = nil
  ) {
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
  /// Whether no other device began because one of those that run before all others failed.
  package let isStoppedByFirst: Bool

  package init(
    _ counts: BatchCounts, notRun: [String], failure: RunFailure?, isCancelled: Bool,
    isStoppedByFirst: Bool = false
  ) {
    self.counts = counts
    self.isStoppedByFirst = isStoppedByFirst
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

/// The number of devices by outcome.
public struct BatchCounts: Hashable, Sendable {
  /// The number of devices that succeeded.
  public private(set) var ok = 0
  /// The number of devices that failed.
  public private(set) var failed = 0
  /// The number of devices that were cancelled.
  public private(set) var cancelled = 0
  /// The number of steps, on all devices, that ended with a warning.
  public private(set) var warnings = 0
  /// The failed devices whose chain did not fail, by code.
  public private(set) var apart = EndsApart()
  private var passing = 0
  private var unavailable = 0

  public init() {}

  package mutating func count(_ ending: RunEnding) {
    count(PreviousRound.Ending(ending.status, ending.failure?.class, warnings: ending.warnings))
    apart.count(ending.failure)
  }

  package mutating func count(_ ending: PreviousRound.Ending) {
    switch ending.status {
    case .ok, .warning: ok += 1
    case .failed: failed += 1
    case .cancelled: cancelled += 1
    }
    warnings += ending.warnings
    count(ending.class)
  }

  package mutating func count(_ class: FailureClass?) {
    switch `class` {
    case .passing?: passing += 1
    case .unavailable?: unavailable += 1
    case .definite?, nil: break
    }
  }

  /// The number of devices that ended.
  public var done: Int { ok + failed + cancelled }

  /// The exit status of the process for these outcomes.
  ///
  /// - Parameter others: The number of failures of the batch itself, which are not in these counts.
  package func exitStatus(others: Int) -> ExitStatus {
    let all = failed + cancelled + others
    if all == 0 { return .ok }
    if unavailable == all { return .unavailable }
    return passing == all ? .passing : .failed
  }
}
