// The only lock of the package.
//
// It does not contain the state that it protects: `Guarded` combines the two. Classes that are
// allocated for every operation store a `Lock` beside their state, which saves an allocation.

#if THREAD_SANITIZER
  import Glibc
#else
  public import Synchronization
#endif

/// A lock stored inside an object. Not recursive: a nested `whileHeld` stops or hangs the program.
///
/// Built for the thread sanitizer it is a pthread mutex, because the sanitizer does not see a
/// contended `Mutex` on Linux.
@usableFromInline
struct Lock: ~Copyable, @unchecked Sendable {
  #if THREAD_SANITIZER
    // `mutex` points to a pthread mutex, which any thread may use, and which lives as long as this.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    @usableFromInline
    init() { pthread_mutex_init(mutex, nil) }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    /// Runs `body` while holding the lock.
    @usableFromInline
    func whileHeld<R, Failure: Error>(
      _ body: () throws(Failure) -> R
    ) throws(Failure) -> R {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body()
    }
  #else
    @usableFromInline let mutex = Mutex(())

    @inlinable
    init() {}

    /// Runs `body` while holding the lock.
    @inlinable
    @inline(__always)
    func whileHeld<R, Failure: Error>(_ body: () throws(Failure) -> R) throws(Failure) -> R {
      // `result` is written and read on this thread, around one call: it is never shared.
      nonisolated(unsafe) var result: R?
      try mutex.withLock { (_) throws(Failure) in result = try body() }
      return result.unsafelyUnwrapped
    }
  #endif
}
