// State behind a lock: the only place of the package that names one.
//
// Never resume a continuation, cancel a task or call out while holding it.

#if THREAD_SANITIZER
  public import Glibc
#else
  public import Synchronization
#endif

/// A value that many threads may touch, one at a time.
///
/// The lock is not recursive: taking it again from inside `withLock` stops the program or hangs it.
/// Built for the thread sanitizer it is a pthread mutex, because the sanitizer does not see a
/// contended `Mutex` on Linux.
public final class Guarded<State>: @unchecked Sendable {
  #if THREAD_SANITIZER
    // `mutex` protects `state`; both live as long as this object.
    @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    @usableFromInline let state = UnsafeMutablePointer<State>.allocate(capacity: 1)

    /// Guards `state` from now on.
    public init(_ state: sending State) {
      self.state.initialize(to: state)
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
      state.deinitialize(count: 1)
      state.deallocate()
    }

    /// Runs `body` with the state, alone.
    @inlinable
    public func withLock<R, Failure: Error>(
      _ body: (inout State) throws(Failure) -> R
    ) throws(Failure) -> R {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&state.pointee)
    }
  #else
    // `mutex` protects `state`. Not a `Mutex` of the state: a generic class that holds one looks up
    // its metadata each time an object is freed, which costs more than all else that the lock does.
    @usableFromInline let mutex = Mutex(())
    // No check for overlapping accesses: the lock sees to that, and stops a recursive one.
    @exclusivity(unchecked) @usableFromInline var state: State

    /// Guards `state` from now on.
    @inlinable
    public init(_ state: sending State) {
      self.state = state
    }

    /// Runs `body` with the state, alone.
    @inlinable
    @inline(__always)
    public func withLock<R, Failure: Error>(
      _ body: (inout State) throws(Failure) -> R
    ) throws(Failure) -> R {
      // Made and taken on this thread, around one call: never shared.
      nonisolated(unsafe) var result: R?
      try mutex.withLock { (_) throws(Failure) in result = try body(&state) }
      return result.unsafelyUnwrapped
    }
  #endif
}
