// Decides which device begins next, and when no further device begins.

import Bluetooth

/// The devices of one round, in order: waiting, running and ended.
///
/// Pure: it returns the next device, and receives the endings.
struct BatchQueue: Equatable, Sendable {
  let count: Int
  let rule: FailureRule
  private(set) var running = 0
  /// All devices that have ended, including those of an earlier run.
  private(set) var counts: BatchCounts
  /// Failures of an earlier run: the failure rule ignores them.
  private let failedBefore: Int
  private var next = 0
  private var isStopped = false
  /// Devices that should have begun but could not.
  private var takenBack: [Int] = []

  /// - Parameter counts: The endings of earlier devices, which are not in this queue.
  init(count: Int, rule: FailureRule, before counts: BatchCounts = BatchCounts()) {
    self.count = count
    self.rule = rule
    self.counts = counts
    failedBefore = counts.failed
  }

  /// Begins the next device and returns its index; nil when no further device begins.
  mutating func begin() -> Int? {
    guard !isStopped, next < count else { return nil }
    defer { next += 1 }
    running += 1
    return next
  }

  /// Records that a running device has ended.
  mutating func ended(_ ending: RunEnding) {
    running -= 1
    counts.count(ending)
    if case .stop(let most) = rule, counts.failed - failedBefore >= most { isStopped = true }
  }

  /// Records that a device did not begin, because the batch was cancelled.
  mutating func tookBack(_ index: Int) {
    running -= 1
    takenBack.append(index)
  }

  /// No further device begins.
  mutating func stop() { isStopped = true }

  /// The devices that were not run, in order.
  var notRun: [Int] { takenBack.sorted() + Array(next..<count) }
}

/// The number of devices by outcome.
public struct BatchCounts: Hashable, Sendable {
  /// How many devices succeeded.
  public private(set) var ok = 0
  /// How many devices failed.
  public private(set) var failed = 0
  /// How many devices were cancelled.
  public private(set) var cancelled = 0
  /// How many steps on these devices ended with a warning.
  public private(set) var warnings = 0
  private var passing = 0
  private var unavailable = 0

  /// None so far.
  public init() {}

  package mutating func count(_ ending: RunEnding) {
    count(BatchPast.Ending(ending.status, ending.failure?.class, warnings: ending.warnings))
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

  /// The number of devices that have ended.
  public var done: Int { ok + failed + cancelled }

  /// The exit status of the process for these outcomes.
  ///
  /// - Parameter others: Failures of the batch itself, which are not in these counts.
  package func exitStatus(others: Int) -> ExitStatus {
    let all = failed + cancelled + others
    if all == 0 { return .ok }
    if unavailable == all { return .unavailable }
    return passing == all ? .passing : .failed
  }
}
