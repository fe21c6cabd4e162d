// A thread that waits for its condition while another thread turns the loop.

import Glibc

/// One blocked thread: its condition, and the semaphore it sleeps on.
final class DriveWaiter: @unchecked Sendable {
  // `semaphore` points to a POSIX semaphore, which any thread may use: it protects itself. It is
  // freed with this object, which both the sleeper and the waker hold.
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

  /// Sleeps until it is woken, or for `limit` of real time; false in that case.
  func sleep(for limit: Duration?) -> Bool {
    guard let limit else {
      while sem_wait(semaphore) != 0 {}
      return true
    }
    let end = EventLoop.time(CLOCK_MONOTONIC) + limit
    while true {
      let left = end - EventLoop.time(CLOCK_MONOTONIC)
      // The semaphore counts the wall clock, which may be set meanwhile: so in short pieces.
      let piece = max(.zero, min(left, .milliseconds(500)))
      let until = (EventLoop.time(CLOCK_REALTIME) + piece).components
      var time = timespec(
        tv_sec: Int(until.seconds),
        tv_nsec: Int(until.attoseconds / 1_000_000_000)
      )
      if sem_timedwait(semaphore, &time) == 0 { return true }
      if left <= .zero { return false }
    }
  }

  func wake() {
    sem_post(semaphore)
  }
}
