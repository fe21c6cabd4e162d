// The condition that a blocked thread waits for, and the thread that sleeps until it is reached.

import CLinux
import Glibc

/// The condition at which a thread stops driving a loop, or stops sleeping while another thread
/// drives it. The driver checks it between jobs.
protocol DriveGoal: Sendable {
  var isReached: Bool { get }

  /// The instant at which a sleeping thread stops waiting for this goal; nil to wait without limit.
  var waitDeadline: Instant? { get }

  /// Marks the goal as reached, because `waitDeadline` has passed.
  func waitDeadlinePassed()
}

extension DriveGoal {
  var waitDeadline: Instant? { nil }
  func waitDeadlinePassed() {}
}

/// A goal given by a closure.
struct DriveCondition: DriveGoal {
  private let condition: @Sendable () -> Bool

  init(isReached condition: @escaping @Sendable () -> Bool) { self.condition = condition }

  var isReached: Bool { condition() }
}

/// One blocked thread: its goal, and the semaphore that it sleeps on.
final class DriveWaiter: @unchecked Sendable {
  // `semaphore` points to a POSIX semaphore, which any thread may use. It is freed with this
  // object, which the sleeping and the waking thread both retain.
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  let goal: any DriveGoal
  private let thread = pthread_self()

  var isOfThisThread: Bool { pthread_equal(thread, pthread_self()) != 0 }

  init(_ goal: any DriveGoal) {
    self.goal = goal
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Sleeps until `wake` is called, or for `limit` of real time; false after that time.
  func sleep(for limit: Duration?) -> Bool {
    guard let limit else {
      while sem_wait(semaphore) != 0 {}
      return true
    }
    let end = (EventLoop.time(CLOCK_MONOTONIC) + limit).components
    var time = timespec(tv_sec: Int(end.seconds), tv_nsec: Int(end.attoseconds / 1_000_000_000))
    while sem_clockwait(semaphore, CLOCK_MONOTONIC, &time) != 0 {
      if errno == ETIMEDOUT { return false }
    }
    return true
  }

  func wake() {
    sem_post(semaphore)
  }
}
