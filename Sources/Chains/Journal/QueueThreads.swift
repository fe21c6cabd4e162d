// The threads and descriptors that Dispatch needs when GRDB lets go of a queue.
//
// A database of GRDB has a queue. Its work is done on the calling thread, but what marks the queue is
// released by a thread of Dispatch. The first one opens the descriptors of Dispatch, which ends the
// program by a trap where there is none, and waits for ever for a thread that it does not get.
//
// Source: swift-corelibs-libdispatch 6.2, src/queue.c (_dispatch_queue_specific_head_dispose),
// src/event/event_epoll.c (_dispatch_epoll_init).

import Dispatch
import Glibc
import Signals

/// Starts Dispatch before it is needed, so that its failure is one of the journal.
enum QueueThreads {
  /// An epoll descriptor, one to wake it, and a timer.
  private static let descriptors = 3
  /// One that does the work, and one that waits for timers.
  private static let threads = 2

  private static let isStarted = Guarded(false)

  /// Starts them, once in a process.
  ///
  /// Between the check and what Dispatch opens, another thread can open the last descriptor. So this is
  /// called before a program has threads that do: commands open their journal first, and
  /// ``JournalFile/prepareProcess()`` is for those that open it later.
  ///
  /// - Parameter path: The journal that is to be opened.
  /// - Throws: ``JournalFailure`` when the process gets no further descriptors or threads.
  static func start(for path: String) throws(JournalFailure) {
    try isStarted.withLock { isStarted throws(JournalFailure) in
      if isStarted { return }
      if let reason = shortage() { throw JournalFailure(.system, path: path, reason: reason) }
      let done = DispatchSemaphore(value: 0)
      // By a timer: it comes after all descriptors are open.
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
