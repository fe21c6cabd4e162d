// What the present thread is doing for the loops: running a job, blocked inside a turn.
//
// This is how a blocking call knows that it must not block. One object a thread, made on first use.

import Glibc

final class ThreadContext {
  // No check for overlapping accesses: only its own thread ever touches an object.
  /// The loop one of whose jobs or callbacks this thread is running.
  @exclusivity(unchecked) var running: Loop?
  /// The turns whose blocks are further up this thread's stack, innermost last.
  @exclusivity(unchecked) var turns: [Turn] = []

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { raw in
      guard let raw else { return }
      Unmanaged<ThreadContext>.fromOpaque(raw).release()
    }
    return key
  }()

  static var current: ThreadContext {
    if let raw = pthread_getspecific(key) {
      return Unmanaged<ThreadContext>.fromOpaque(raw).takeUnretainedValue()
    }
    let context = ThreadContext()
    pthread_setspecific(key, Unmanaged.passRetained(context).toOpaque())
    return context
  }
}
