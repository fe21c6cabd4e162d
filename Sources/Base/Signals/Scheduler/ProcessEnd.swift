// The turns that are unfinished when the process exits.
//
// Exit handlers have no context, so the present schedulers are listed once for the process.

import Glibc

/// Ends the unfinished turns of the process when it exits by `exit` or by returning from `main`.
///
/// The last statement of a program may leave a turn whose clean-up is still to come: a loop over
/// `values` that was left, a blocking call that returned at its deadline, an observation. The exit
/// cancels these turns and waits for their clean-up, so that no connection outlives the program. The work
/// of a turn that calls `exit` never returns: its releases do not wait for that.
/// Nothing of this happens after `_exit`, a signal that ends the process, or a trap.
enum ProcessEnd {
  private struct Present {
    weak var scheduler: SerialScheduler?
  }

  private static let schedulers = Guarded<[ObjectIdentifier: Present]>([:])
  private static let isRegistered = atexit { ProcessEnd.endTurns() } == 0

  /// Adds a scheduler on a loop of real time.
  static func add(_ scheduler: SerialScheduler) {
    precondition(isRegistered, "the process has no room for another exit handler")
    let present = Present(scheduler: scheduler)
    schedulers.withLock { $0[ObjectIdentifier(scheduler)] = present }
  }

  /// Removes a scheduler that is being freed.
  static func remove(_ scheduler: ObjectIdentifier) {
    schedulers.withLock { _ = $0.removeValue(forKey: scheduler) }
  }

  private static func endTurns() {
    let present = schedulers.withLock { $0.values.compactMap(\.scheduler) }.filter { !$0.isIdle }
    let calling = TaskContext.current?.turn?.acting
    let callingScheduler = present.first { $0 === calling?.scheduler }
    let isReleased = Guarded(false)
    for scheduler in present { scheduler.cancelAll() }
    if callingScheduler != nil { calling?.releaseAtExit { isReleased.withLock { $0 = true } } }
    let ends = present.map { $0.loop.now + $0.cleanUpLimit }
    for (scheduler, end) in zip(present, ends) {
      let isCalling = scheduler === callingScheduler
      // It fails on a thread that cannot wait, because it runs a job of another loop.
      try? scheduler.waitAtExit(within: max(.zero, end - scheduler.loop.now)) {
        isCalling && isReleased.withLock { $0 }
      }
      guard let turn = scheduler.runningTurn, !(isCalling && isReleased.withLock { $0 }) else {
        continue
      }
      writeToStandardError(
        "the program exits during '\(turn)', a turn of '\(scheduler.name)': what it connected may "
          + "stay connected"
      )
    }
  }
}
