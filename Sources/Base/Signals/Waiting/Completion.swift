// A one-shot result that a task waits for: a value, a failure, a timeout or a cancellation.
//
// `wait` makes one for each wait. It knows neither deadlines nor loops.

/// A one-shot result that resumes the waiting task.
///
/// The first result wins. Later ones return false, so that their caller can undo the effect.
///
/// Every completion must be ended, even after the waiting task was cancelled: a debug build stops
/// the program when one is freed without a result.
public final class Completion<R: Sendable>: @unchecked Sendable {
  // `waiting`, `early` and `isEnded` are protected by `lock`.
  /// A result that arrived before the task suspended.
  @usableFromInline
  final class Early: Sendable {
    @usableFromInline let result: Result<R, any Error>

    @inlinable
    init(_ result: Result<R, any Error>) { self.result = result }
  }

  // Three variables instead of one enum: the enum would depend on `R`, so freeing it would look up
  // its metadata each time.
  @usableFromInline let lock = Lock()
  @exclusivity(unchecked) @usableFromInline var waiting: UnsafeContinuation<R, any Error>?
  @exclusivity(unchecked) @usableFromInline var early: Early?
  @exclusivity(unchecked) @usableFromInline var isEnded = false

  @inlinable
  init() {}

  #if DEBUG
    deinit {
      assert(isEnded, "a completion was freed without a result: its waiters would wait forever")
    }
  #endif

  /// Ends the wait with `value`. Returns false if it has already ended.
  @inlinable
  @discardableResult
  public func succeed(_ value: R) -> Bool { end(.success(value)) }

  /// Ends the wait by throwing `error`. Returns false if it has already ended.
  @inlinable
  @discardableResult
  public func fail(_ error: any Error) -> Bool { end(.failure(error)) }

  /// Ends the wait. Returns false if it has already ended.
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

  /// Whether the wait has its result.
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
