// The one ending of a wait: a value, a failure, a deadline or a cancellation, whichever is first.

/// Where the answer to one wait is put.
///
/// The first ending counts. Later ones return false, so that the caller can undo their effect.
///
/// Each one has to be ended, though nobody may wait any more: a debug build stops where one is
/// freed without an ending.
public final class Completion<R: Sendable>: @unchecked Sendable {
  // `waiting`, `early` and `isEnded` are protected by `lock`.
  /// An ending that came before the wait.
  @usableFromInline
  final class Early: Sendable {
    @usableFromInline let result: Result<R, any Error>

    @inlinable
    init(_ result: Result<R, any Error>) { self.result = result }
  }

  // Three variables and not one enumeration: freeing that would look up its metadata each time, for
  // it depends on `R`.
  @usableFromInline let lock = Lock()
  @exclusivity(unchecked) @usableFromInline var waiting: UnsafeContinuation<R, any Error>?
  @exclusivity(unchecked) @usableFromInline var early: Early?
  @exclusivity(unchecked) @usableFromInline var isEnded = false

  @inlinable
  init() {}

  #if DEBUG
    deinit {
      assert(isEnded, "a completion was freed that nobody has ended: whoever waits would wait on")
    }
  #endif

  /// Ends the wait with `value`. Returns false when it has ended before.
  @inlinable
  @discardableResult
  public func succeed(_ value: R) -> Bool { end(.success(value)) }

  /// Ends the wait by throwing `error`. Returns false when it has ended before.
  @inlinable
  @discardableResult
  public func fail(_ error: any Error) -> Bool { end(.failure(error)) }

  /// Ends the wait. Returns false when it has ended before.
  @inlinable
  @discardableResult
  public func end(_ result: Result<R, any Error>) -> Bool {
    let (won, continuation): (Bool, UnsafeContinuation<R, any Error>?) = lock.whileHeld {
      if isEnded { return (false, nil) }
      isEnded = true
      if waiting == nil { early = Early(result) }
      defer { waiting = nil }
      return (true, waiting)
    }
    continuation?.resume(with: result)
    return won
  }

  /// Whether an ending has come.
  @inlinable
  public var hasEnded: Bool { lock.whileHeld { isEnded } }

  @inlinable
  func install(_ continuation: UnsafeContinuation<R, any Error>) {
    let early: Early? = lock.whileHeld {
      if self.early == nil { waiting = continuation }
      return self.early
    }
    if let early { continuation.resume(with: early.result) }
  }
}
