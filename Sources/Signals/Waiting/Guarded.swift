// State behind a lock: the only place of the package that names one.
//
// Never resume a continuation, cancel a task or call out while holding it.

#if THREAD_SANITIZER
  import Glibc
#else
  import Synchronization
#endif

/// A value that many threads may touch, one at a time.
///
/// The lock is not recursive: taking it again from inside `withLock` stops the program. Built for
/// the thread sanitizer it is a pthread mutex, because the sanitizer does not see a contended
/// `Mutex` on Linux.
public final class Guarded<State>: @unchecked Sendable {
  #if THREAD_SANITIZER
    // `mutex` protects `state`; both live as long as this object.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var state: State

    /// Guards `state` from now on.
    public init(_ state: sending State) {
      self.state = state
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    /// Runs `body` with the state, alone.
    public func withLock<R, Failure: Error>(
      _ body: (inout State) throws(Failure) -> R
    ) throws(Failure) -> R {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&state)
    }
  #else
    private struct Unchecked: @unchecked Sendable {
      // Only touched inside the mutex that holds it.
      var value: State
    }

    private let mutex: Mutex<Unchecked>

    /// Guards `state` from now on.
    public init(_ state: sending State) {
      mutex = Mutex(Unchecked(value: state))
    }

    /// Runs `body` with the state, alone.
    public func withLock<R, Failure: Error>(
      _ body: (inout State) throws(Failure) -> R
    ) throws(Failure) -> R {
      let result: Result<Carrier<R>, Failure> = mutex.withLock { unchecked in
        do throws(Failure) {
          return .success(Carrier(value: try body(&unchecked.value)))
        } catch {
          return .failure(error)
        }
      }
      return try result.get().value
    }

    private struct Carrier<R>: @unchecked Sendable {
      // Made and taken apart on one thread, around the same call.
      let value: R
    }
  #endif
}
