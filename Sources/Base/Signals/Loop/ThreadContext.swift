// The thread-local state of loops: the running job, and the turns blocked further up the stack.
//
// A blocking call checks it to fail instead of deadlocking.

import Glibc

final class ThreadContext {
  // Unchecked exclusivity: only its own thread uses an object.
  /// The loop whose job or callback this thread is running; nil outside one.
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

  /// The object of this thread, made on first use.
  static var current: ThreadContext {
    if let raw = pthread_getspecific(key) {
      return Unmanaged<ThreadContext>.fromOpaque(raw).takeUnretainedValue()
    }
    let context = ThreadContext()
    pthread_setspecific(key, Unmanaged.passRetained(context).toOpaque())
    return context
  }
}
