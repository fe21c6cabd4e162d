// State that tasks wait for.

import Signals

/// Guarded state, and the tasks that wait until it is as they need it.
///
/// Who waits looks at the state once, and after each change that is announced.
final class Awaited<State: Sendable>: Sendable {
  private struct Waiter: Sendable {
    let id: UInt64
    let look: @Sendable (State) -> Void
  }

  private struct Content: Sendable {
    var state: State
    var waiters: [Waiter] = []
    var lastID: UInt64 = 0
  }

  private let content: Guarded<Content>

  init(_ state: State) { content = Guarded(Content(state: state)) }

  /// Runs `body` with the state, alone. Nobody who waits learns of it before the next ``announce()``.
  @inline(__always)
  func withLock<R, Failure: Error>(
    _ body: (inout State) throws(Failure) -> R
  ) throws(Failure) -> R {
    try content.withLock { content throws(Failure) in try body(&content.state) }
  }

  /// Runs `body` with the state, alone, and announces what it has changed.
  @discardableResult
  func change<R>(_ body: (inout State) -> R) -> R {
    defer { announce() }
    return withLock(body)
  }

  /// Everybody who waits looks again.
  func announce() {
    let present = content.withLock { $0.waiters.isEmpty ? nil : $0 }
    guard let present else { return }
    for waiter in present.waiters { waiter.look(present.state) }
  }

  /// Whether somebody waits.
  var isAwaited: Bool { content.withLock { !$0.waiters.isEmpty } }

  /// Waits until the state is as needed.
  ///
  /// - Parameters:
  ///   - operation: What the wait is for, in the error.
  ///   - limit: A deadline in addition to the enclosing ones.
  ///   - outcome: Returns the result once there is one; throws when there never will be.
  /// - Throws: What `outcome` throws; the errors of a wait.
  func until<R: Sendable>(
    _ operation: String, on loop: Loop, limit: Duration? = nil,
    _ outcome: @escaping @Sendable (State) throws -> R?
  ) async throws -> R {
    let id = content.withLock { content in
      content.lastID += 1
      return content.lastID
    }
    defer { content.withLock { $0.waiters.removeAll { $0.id == id } } }
    return try await wait(on: loop, operation: operation, limit: limit) { (done: Completion<R>) in
      let waiter = Waiter(id: id) { state in
        do {
          if let result = try outcome(state) { done.succeed(result) }
        } catch {
          done.fail(error)
        }
      }
      let present = content.withLock { content in
        content.waiters.append(waiter)
        return content.state
      }
      waiter.look(present)
    }
  }
}
