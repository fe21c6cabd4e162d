// A thread that waits for its condition while another thread turns the loop.

import Glibc

/// One blocked thread: its condition, and the semaphore it sleeps on.
final class DriveWaiter: @unchecked Sendable {
  // `semaphore` is a POSIX semaphore: safe from any thread, and freed with this object, which both
  // the sleeper and the waker hold.
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  let goal: any DriveGoal
  let mayRunTurns: Bool

  init(mayRunTurns: Bool, goal: any DriveGoal) {
    self.goal = goal
    self.mayRunTurns = mayRunTurns
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func sleep() {
    while sem_wait(semaphore) != 0 {}
  }

  func wake() {
    sem_post(semaphore)
  }
}
