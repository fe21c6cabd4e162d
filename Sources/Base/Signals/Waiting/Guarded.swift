// State behind a lock.
//
// Never resume a continuation, cancel a task or call out while holding it.

/// A value that any thread may use, one thread at a time.
///
/// The lock is not recursive: a nested `withLock` on the same object stops or hangs the program.
///
/// Put a closure into a stored property of a guarded struct. A closure that is the state itself, an
/// optional one, or one in a tuple gets another reabstraction thunk each time `withLock` passes the
/// state, and overflows the stack when it is called after some ten thousand accesses. A debug build
/// stops at once.
public final class Guarded<State>: @unchecked Sendable {
  // `state` is protected by `lock`. Not a `Mutex<State>`: a generic class that holds one looks up
  // its metadata each time an object is freed, which costs more than the lock itself.
  @usableFromInline let lock = Lock()
  // Unchecked exclusivity: the lock already serializes accesses, and stops a recursive one.
  @exclusivity(unchecked) @usableFromInline var state: State

  /// Guards `state`.
  @inlinable
  public init(_ state: sending State) {
    assert(!isRewrappedClosure("\(State.self)"), "put the closure into a struct: see Guarded")
    self.state = state
  }

  /// Runs `body` with exclusive access to the state.
  @inlinable
  @inline(__always)
  public func withLock<R, Failure: Error>(
    _ body: (inout State) throws(Failure) -> R
  ) throws(Failure) -> R {
    try lock.whileHeld { () throws(Failure) in try body(&state) }
  }
}

/// Whether the name is that of a function type, an optional function, or a tuple with one.
@usableFromInline
func isRewrappedClosure(_ name: String) -> Bool {
  var name = name[...]
  while name.hasPrefix("Optional<") { name = name.dropFirst("Optional<".count) }
  return (name.hasPrefix("(") || name.hasPrefix("@")) && name.contains("->")
}
