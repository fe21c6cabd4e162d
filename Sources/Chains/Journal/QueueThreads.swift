// The threads and descriptors that Dispatch needs when GRDB releases a queue.
//
// A GRDB database has a Dispatch queue. Its work is done on the calling thread, but the values that
// mark the queue are released by a Dispatch thread. The first such thread opens the descriptors of
// Dispatch. Dispatch traps if no descriptor is left, and waits for ever if it gets no thread.
//
// Source: swift-corelibs-libdispatch 6.2, src/queue.c (_dispatch_queue_specific_head_dispose),
// src/event/event_epoll.c (_dispatch_epoll_init).

import Dispatch
import Glibc
import Signals

/// Starts Dispatch before it is needed, so that a shortage is reported as a failure of the journal.
enum QueueThreads {
  /// The number of descriptors: for epoll, for waking it, and for a timer.
  private static let descriptors = 3
  /// The number of threads: one that does the work, and one that waits for timers.
  private static let threads = 2

  private static let isStarted = Guarded(false)

  /// Starts Dispatch, once in a process.
  ///
  /// Another thread can open the last descriptor between the check and the start of Dispatch. So
  /// this must be called before the program has threads that open descriptors: commands open their
  /// journal first, and programs that open it later call ``JournalFile/prepareProcess()``.
  ///
  /// - Parameter path: The journal that is to be opened.
  /// - Throws: ``JournalFailure`` when the process gets no further descriptors or threads.
  static func start(for path: String) throws(JournalFailure) {
    try isStarted.withLock { isStarted throws(JournalFailure) in
      if isStarted { return }
      if let reason = shortage() { throw JournalFailure(.system, path: path, reason: reason) }
      let done = DispatchSemaphore(value: 0)
      // A timer fires only after all descriptors are open.
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { done.signal() }
      guard done.wait(timeout: .now() + 10) == .success else {
        throw JournalFailure(.system, path: path, reason: "no thread is left")
      }
      isStarted = true
    }
  }

  /// The resource that the process cannot get; nil when it can get all.
  private static func shortage() -> String? {
    var opened: [Int32] = []
    defer { for descriptor in opened { close(descriptor) } }
    while opened.count < descriptors {
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        return "no file descriptor is left: \(String(cString: strerror(errno)))"
      }
      opened.append(descriptor)
    }
    let over = DispatchSemaphore(value: 0)
    var number: Int32 = 0
    var started = 0
    while number == 0, started < threads {
      number = startThread("journal") { over.wait() }
      if number == 0 { started += 1 }
    }
    for _ in 0..<started { over.signal() }
    return number == 0 ? nil : "no thread is left: \(String(cString: strerror(number)))"
  }
}
