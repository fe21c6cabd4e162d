// The one ending of a wait: a value, a failure, a deadline or a cancellation, whichever is first.

/// Where the answer to one wait is put.
///
/// The first ending wins; later ones are told so, and can undo what they brought.
public final class Completion<R: Sendable>: Sendable {
  @usableFromInline
  enum Phase {
    case new
    case waiting(UnsafeContinuation<R, any Error>)
    case early(Result<R, any Error>)
    case ended
  }

  @usableFromInline let phase = Guarded(Phase.new)

  @inlinable
  init() {}

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
    let (won, continuation): (Bool, UnsafeContinuation<R, any Error>?) = phase.withLock { phase in
      switch phase {
      case .new:
        phase = .early(result)
        return (true, nil)
      case .waiting(let continuation):
        phase = .ended
        return (true, continuation)
      case .early, .ended:
        return (false, nil)
      }
    }
    continuation?.resume(with: result)
    return won
  }

  /// Whether an ending has come.
  @inlinable
  public var hasEnded: Bool {
    phase.withLock { phase in
      switch phase {
      case .new, .waiting: false
      case .early, .ended: true
      }
    }
  }

  @inlinable
  func install(_ continuation: UnsafeContinuation<R, any Error>) {
    let early: Result<R, any Error>? = phase.withLock { phase in
      if case .early(let result) = phase {
        phase = .ended
        return result
      }
      phase = .waiting(continuation)
      return nil
    }
    if let early { continuation.resume(with: early) }
  }
}
