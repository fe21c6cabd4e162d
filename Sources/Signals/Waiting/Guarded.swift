// State behind a lock: the only place of the package that names one.
//
// Never resume a continuation, cancel a task or call out while holding it.

public import Glibc

/// A value that many threads may touch, one at a time.
///
/// The lock is not recursive: taking it again from inside `withLock` stops the program or hangs it.
/// A pthread mutex, not the standard library's `Mutex`: the thread sanitizer does not see a
/// contended `Mutex` on Linux, and one implementation for all builds is one to trust.
public final class Guarded<State>: @unchecked Sendable {
  @usableFromInline
  struct Storage {
    @usableFromInline var mutex: pthread_mutex_t
    @usableFromInline var state: State

    @usableFromInline
    init(state: State) {
      mutex = pthread_mutex_t()
      self.state = state
    }
  }

  // `mutex` protects `state`; both live as long as this object.
  @usableFromInline let storage: UnsafeMutablePointer<Storage>
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

  /// Guards `state` from now on.
  public init(_ state: sending State) {
    storage = .allocate(capacity: 1)
    storage.initialize(to: Storage(state: state))
    // The first member of a structure lies at its start.
    mutex = UnsafeMutableRawPointer(storage).assumingMemoryBound(to: pthread_mutex_t.self)
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    storage.deinitialize(count: 1)
    storage.deallocate()
  }

  /// Runs `body` with the state, alone.
  @inlinable
  @inline(__always)
  public func withLock<R, Failure: Error>(
    _ body: (inout State) throws(Failure) -> R
  ) throws(Failure) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&storage.pointee.state)
  }
}
