// The only lock of the package.
//
// It does not hold what it protects: `Guarded` combines it with one value. Classes with an object for
// every operation keep it beside their state instead, which saves an allocation.

#if THREAD_SANITIZER
  import Glibc
#else
  public import Synchronization
#endif

/// A lock inside an object. Not recursive: taking it again stops the program or hangs it.
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

    /// Runs `body` while no other thread is in here.
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

    /// Runs `body` while no other thread is in here.
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
