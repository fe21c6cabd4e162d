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
    @usableFromInline
    struct Unchecked: @unchecked Sendable {
      // Only touched inside the mutex that holds it.
      @usableFromInline var value: State

      @inlinable
      init(value: State) {
        self.value = value
      }
    }

    @usableFromInline let mutex: Mutex<Unchecked>

    /// Guards `state` from now on.
    @inlinable
    public init(_ state: sending State) {
      mutex = Mutex(Unchecked(value: state))
    }

    /// Runs `body` with the state, alone.
    @inlinable
    @inline(__always)
    public func withLock<R, Failure: Error>(
      _ body: (inout State) throws(Failure) -> R
    ) throws(Failure) -> R {
      // Made and taken on this thread, around one call: never shared.
      nonisolated(unsafe) var result: R?
      try mutex.withLock { (unchecked) throws(Failure) in
        result = try body(&unchecked.value)
      }
      return result.unsafelyUnwrapped
    }
  #endif
}
