// Decides which device of a batch begins next, and when no further device begins.
//
// It runs nothing: BatchRunner reports beginnings and endings to it.

import Bluetooth
import RunEvents

/// The devices of one round, in order: waiting, running and ended.
struct BatchQueue: Equatable, Sendable {
  let count: Int
  let rule: FailureRule
  /// The number of devices that run before all others.
  let first: Int
  private(set) var running = 0
  /// The outcomes of all ended devices, including those of an interrupted run.
  private(set) var counts: BatchCounts
  /// The failures of an interrupted run, which do not count for the failure rule.
  private let failedBefore: Int
  private var next = 0
  private var isStopped = false
  /// Whether a device that ran before all others failed.
  private(set) var isStoppedByFirst = false
  /// Devices that left the queue but were cancelled before their run began.
  private var cancelledBeforeRun: [Int] = []

  /// - Parameter counts: The outcomes of an interrupted run, whose devices are not in this queue.
  init(
    count: Int, rule: FailureRule, first: Int = 0, before counts: BatchCounts = BatchCounts()
  ) {
    self.count = count
    self.rule = rule
    self.first = min(first, count)
    self.counts = counts
    failedBefore = counts.failed
  }

  /// Returns the index of the next device and counts it as running; nil if no further device
  /// begins.
  ///
  /// - Parameter isFirst: Whether only a device that runs before all others may begin.
  mutating func begin(first isFirst: Bool = false) -> Int? {
    guard !isStopped, next < (isFirst ? first : count) else { return nil }
    defer { next += 1 }
    running += 1
    return next
  }

  mutating func ended(_ ending: RunEnding) {
    running -= 1
    counts.count(ending)
    let failed = counts.failed - failedBefore
    switch rule {
    case .continue: break
    case .stop(let most): if failed >= most { isStopped = true }
    case .stopAbove(let percent): if failed * 100 > percent * count { isStopped = true }
    }
  }

  /// The devices that run before all others have ended: no other begins unless all have succeeded.
  mutating func endFirst() {
    guard counts.failed - failedBefore > 0 else { return }
    isStopped = true
    isStoppedByFirst = true
  }

  /// Records that a device from ``begin()`` did not run, because the batch was cancelled.
  mutating func cancelBeforeRun(_ index: Int) {
    running -= 1
    cancelledBeforeRun.append(index)
  }

  /// Prevents further devices from beginning.
  mutating func stop() { isStopped = true }

  /// The devices that did not run, in order.
  var notRun: [Int] { cancelledBeforeRun.sorted() + Array(next..<count) }
}
