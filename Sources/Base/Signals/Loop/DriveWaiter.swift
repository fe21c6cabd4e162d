// A thread that waits for its goal while another thread drives the loop.

import CLinux
import Glibc

/// One blocked thread: its goal, and the semaphore that it sleeps on.
final class DriveWaiter: @unchecked Sendable {
  // `semaphore` points to a POSIX semaphore, which any thread may use. It is freed with this object,
  // which the sleeping and the waking thread both retain.
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
