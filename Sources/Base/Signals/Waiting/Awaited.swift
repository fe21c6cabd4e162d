// State that tasks wait for.
//
// The one implementation of "a lock, a state, and the tasks that wait until it is as they need it".
//
// Not for a queue: each waiting task looks at a copy of the state, which would copy the values of a
// queue when the next one is removed. So Mailbox, Handoff and OperatorRun keep their one consumer
// themselves, and pass it the value; and Turn, whose state changes with each operation, its waits.

/// Guarded state, and the tasks that wait on it.
///
/// A waiting task checks the state once, and again after each announced change.
package final class Awaited<State: Sendable>: Sendable {
  private struct Waiter: Sendable {
    let id: UInt64
    let check: @Sendable (State) -> Void
  }

  private struct Content: Sendable {
    var state: State
    var waiters: [Waiter] = []
    var lastID: UInt64 = 0
  }

  private let content: Guarded<Content>

  package init(_ state: State) { content = Guarded(Content(state: state)) }

  /// Runs `body` with the state, alone. Waiting tasks learn of a change only with the next
  /// ``announce()``.
  @inline(__always)
  package func withLock<R, Failure: Error>(
    _ body: (inout State) throws(Failure) -> R
  ) throws(Failure) -> R {
    try content.withLock { content throws(Failure) in try body(&content.state) }
  }

  /// Runs `body` with the state, alone, and announces the change.
  @discardableResult
  package func change<R>(_ body: (inout State) -> R) -> R {
    defer { announce() }
    return withLock(body)
  }

  /// Makes all waiting tasks check the state.
  package func announce() {
    let present = content.withLock { $0.waiters.isEmpty ? nil : $0 }
    guard let present else { return }
    for waiter in present.waiters { waiter.check(present.state) }
  }

  /// Whether a task is waiting.
  package var isAwaited: Bool { content.withLock { !$0.waiters.isEmpty } }

  /// Waits until `outcome` returns a result.
  ///
  /// - Parameters:
  ///   - operation: The name of the wait, for the error.
  ///   - limit: A deadline in addition to the enclosing ones.
  ///   - outcome: Returns the result once there is one; throws when there never will be.
  /// - Throws: The error of `outcome`; the errors of a wait.
  package func until<R: Sendable>(
    _ operation: String, on loop: Loop, limit: Duration? = nil,
    _ outcome: @escaping @Sendable (State) throws -> R?
  ) async throws -> R {
    let id = newID()
    defer { removeWaiter(id) }
    return try await wait(on: loop, operation: operation, limit: limit) { (done: Completion<R>) in
      register(done, as: id, outcome)
    }
  }

  /// Waits until `outcome` returns a result, even in a cancelled task and past every deadline: for
  /// the end of something that certainly ends.
  package func uninterrupted<R: Sendable>(
    until outcome: @escaping @Sendable (State) -> R?
  ) async -> R {
    if let present = withLock({ outcome($0) }) { return present }
    let id = newID()
    defer { removeWaiter(id) }
    let done = Completion<R>()
    register(done, as: id, outcome)
    do {
      return try await withUnsafeThrowingContinuation { done.install($0) }
    } catch {
      preconditionFailure("no outcome of this wait is an error")
    }
  }

  private func newID() -> UInt64 {
    content.withLock { content in
      content.lastID += 1
      return content.lastID
    }
  }

  private func register<R: Sendable>(
    _ done: Completion<R>, as id: UInt64, _ outcome: @escaping @Sendable (State) throws -> R?
  ) {
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
    waiter.check(present)
  }

  private func removeWaiter(_ id: UInt64) {
    content.withLock { $0.waiters.removeAll { $0.id == id } }
  }
}
