// Decides which device of a batch begins next, and when no further device begins.
//
// It runs nothing: BatchRunner reports beginnings and endings to it.

import Bluetooth

/// The devices of one round, in order: waiting, running and ended.
struct BatchQueue: Equatable, Sendable {
  let count: Int
  let rule: FailureRule
  private(set) var running = 0
  /// The outcomes of all ended devices, including those of an interrupted run.
  private(set) var counts: BatchCounts
  /// The failures of an interrupted run, which do not count for the failure rule.
  private let failedBefore: Int
  private var next = 0
  private var isStopped = false
  /// Devices that left the queue but were cancelled before their run began.
  private var takenBack: [Int] = []

  /// - Parameter counts: The outcomes of an interrupted run, whose devices are not in this queue.
  init(count: Int, rule: FailureRule, before counts: BatchCounts = BatchCounts()) {
    self.count = count
    self.rule = rule
    self.counts = counts
    failedBefore = counts.failed
  }

  /// Returns the index of the next device and counts it as running; nil if no further device
  /// begins.
  mutating func begin() -> Int? {
    guard !isStopped, next < count else { return nil }
    defer { next += 1 }
    running += 1
    return next
  }

  mutating func ended(_ ending: RunEnding) {
    running -= 1
    counts.count(ending)
    if case .stop(let most) = rule, counts.failed - failedBefore >= most { isStopped = true }
  }

  /// Records that a device from ``begin()`` did not run, because the batch was cancelled.
  mutating func tookBack(_ index: Int) {
    running -= 1
    takenBack.append(index)
  }

  /// Prevents further devices from beginning.
  mutating func stop() { isStopped = true }

  /// The devices that did not run, in order.
  var notRun: [Int] { takenBack.sorted() + Array(next..<count) }
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
    count(BatchPast.Ending(ending.status, ending.failure?.class, warnings: ending.warnings))
    apart.count(ending.failure)
  }

  mutating func count(_ ending: BatchPast.Ending) {
    switch ending.status {
    case .ok, .warning: ok += 1
    case .failed: failed += 1
    case .cancelled: cancelled += 1
    }
    warnings += ending.warnings
    count(ending.class)
  }

  mutating func count(_ class: FailureClass?) {
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
