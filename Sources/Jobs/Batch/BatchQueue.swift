// Which device begins next, and when none does any more.

import Bluetooth

/// The devices of one round, in order: those that wait, run, and have ended.
///
/// Pure: it is asked what begins, and told how that ended.
struct BatchQueue: Equatable, Sendable {
  let count: Int
  let rule: FailureRule
  private(set) var running = 0
  /// All that have ended, those of before included.
  private(set) var counts: BatchCounts
  /// Failures of before: the rule is about those that follow.
  private let failedBefore: Int
  private var next = 0
  private var isStopped = false
  /// Devices that were to begin and could not.
  private var takenBack: [Int] = []

  /// - Parameter counts: How devices ended before, that are not among these.
  init(count: Int, rule: FailureRule, before counts: BatchCounts = BatchCounts()) {
    self.count = count
    self.rule = rule
    self.counts = counts
    failedBefore = counts.failed
  }

  /// The next device begins: its index; nil when none is to begin any more.
  mutating func begin() -> Int? {
    guard !isStopped, next < count else { return nil }
    defer { next += 1 }
    running += 1
    return next
  }

  /// A device that had begun has ended.
  mutating func ended(_ ending: RunEnding) {
    running -= 1
    counts.count(ending)
    if case .stop(let most) = rule, counts.failed - failedBefore >= most { isStopped = true }
  }

  /// A device that was to begin did nothing: everything was ended before.
  mutating func tookBack(_ index: Int) {
    running -= 1
    takenBack.append(index)
  }

  /// No further device begins.
  mutating func stop() { isStopped = true }

  /// Those that were not run, in order.
  var notRun: [Int] { takenBack.sorted() + Array(next..<count) }
}

/// How many devices ended how.
public struct BatchCounts: Hashable, Sendable {
  public private(set) var ok = 0
  public private(set) var failed = 0
  public private(set) var cancelled = 0
  private var passing = 0
  private var unavailable = 0

  public init() {}

  mutating func count(_ ending: RunEnding) {
    count(BatchPast.Ending(ending.status, ending.failure?.class))
  }

  mutating func count(_ ending: BatchPast.Ending) {
    switch ending.status {
    case .ok, .warning: ok += 1
    case .failed: failed += 1
    case .cancelled: cancelled += 1
    }
    count(ending.class)
  }

  mutating func count(_ class: FailureClass?) {
    switch `class` {
    case .passing?: passing += 1
    case .unavailable?: unavailable += 1
    case .definite?, nil: break
    }
  }

  /// Those that have ended.
  public var done: Int { ok + failed + cancelled }

  /// What the process ends with after these.
  ///
  /// - Parameter others: Failures of the batch itself, which are in no device's count.
  func exitStatus(others: Int) -> ExitStatus {
    let all = failed + cancelled + others
    if all == 0 { return .ok }
    if unavailable == all { return .unavailable }
    return passing == all ? .passing : .failed
  }
}
