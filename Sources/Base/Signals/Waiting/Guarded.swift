// State behind a lock.
//
// Never resume a continuation, cancel a task or call out while holding it.

/// A value that many threads may touch, one at a time.
///
/// The lock is not recursive: taking it again from inside `withLock` stops the program or hangs it.
///
/// A closure has to be a stored property of a struct that is guarded. As the state itself, in an
/// optional or in a tuple, it is wrapped anew each time the state is handed out, and calling it runs
/// out of stack after some ten thousand times: a debug build stops at once.
public final class Guarded<State>: @unchecked Sendable {
  // `state` is protected by `lock`. Not a `Mutex` of the state: a generic class that holds one looks up
  // its metadata each time an object is freed, which costs more than all else that the lock does.
  @usableFromInline let lock = Lock()
  // No check for overlapping accesses: the lock sees to that, and stops a recursive one.
  @exclusivity(unchecked) @usableFromInline var state: State

  /// Guards `state` from now on.
  @inlinable
  public init(_ state: sending State) {
    assert(!isWrappedAnew("\(State.self)"), "put the closure into a struct: see Guarded")
    self.state = state
  }

  /// Runs `body` with the state, alone.
  @inlinable
  @inline(__always)
  public func withLock<R, Failure: Error>(
    _ body: (inout State) throws(Failure) -> R
  ) throws(Failure) -> R {
    try lock.whileHeld { () throws(Failure) in try body(&state) }
  }
}

/// Whether a type of that name is a function, an optional one, or a tuple with one.
@usableFromInline
func isWrappedAnew(_ name: String) -> Bool {
  var name = name[...]
  while name.hasPrefix("Optional<") { name = name.dropFirst("Optional<".count) }
  return (name.hasPrefix("(") || name.hasPrefix("@")) && name.contains("->")
}
