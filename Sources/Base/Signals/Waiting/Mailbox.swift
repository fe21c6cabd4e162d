// A bounded queue from any thread to one task.
//
// Unlike a Handoff it buffers: the sender never waits.

/// A first-in first-out queue with a bound, for one consumer.
///
/// The sender never waits. A value that does not fit ends the mailbox with ``BufferOverflow``, so
/// that no value is lost silently.
package final class Mailbox<Value: Sendable>: Sendable {
  private struct State {
    var values: [Value] = []
    var head = 0
    var consumer: Completion<Value?>?
    var ending: Result<Void, any Error>?
  }

  /// The maximum number of waiting values.
  package let bound: Int
  private let state = Guarded(State())

  /// Makes an empty mailbox.
  package init(bound: Int) {
    precondition(bound > 0, "a mailbox holds at least one value")
    self.bound = bound
  }

  /// Appends a value. Ignored after the mailbox has ended.
  package func send(_ value: Value) {
    let consumer: Completion<Value?>? = state.withLock { state in
      guard state.ending == nil else { return nil }
      if let consumer = state.consumer {
        state.consumer = nil
        if !consumer.hasEnded { return consumer }
      }
      if state.values.count - state.head >= bound {
        state.ending = .failure(BufferOverflow(bound: bound))
      } else {
        state.values.append(value)
      }
      return nil
    }
    if let consumer, !consumer.succeed(value) { putBack(value) }
  }

  /// Puts back a value whose consumer was cancelled meanwhile, for the next call of `next`.
  private func putBack(_ value: Value) {
    state.withLock { state in
      state.values.insert(value, at: state.head)
    }
  }

  /// Ends the mailbox. The consumer still gets the waiting values, then `ending`.
  package func finish(_ ending: Result<Void, any Error> = .success(())) {
    let consumer: Completion<Value?>? = state.withLock { state in
      guard state.ending == nil else { return nil }
      state.ending = ending
      defer { state.consumer = nil }
      return state.consumer
    }
    switch ending {
    case .success: consumer?.succeed(nil)
    case .failure(let error): consumer?.fail(error)
    }
  }

  /// Waits for the next value.
  ///
  /// - Returns: The value; nil after the mailbox was finished successfully and is empty.
  /// - Throws: The failure that the mailbox was finished with; ``BufferOverflow``; ``TimedOut``,
  ///   `CancellationError`.
  package func next(on loop: Loop, operation: String = "waiting for a value") async throws -> Value?
  {
    try await wait(on: loop, operation: operation) { (done: Completion<Value?>) in
      let ready: Result<Value?, any Error>? = state.withLock { state in
        if state.head < state.values.count {
          let value = state.values[state.head]
          state.head += 1
          if state.head == state.values.count {
            state.values.removeAll(keepingCapacity: true)
            state.head = 0
          } else if state.head >= 1024 {
            state.values.removeFirst(state.head)
            state.head = 0
          }
          return .success(value)
        }
        switch state.ending {
        case .success?: return .success(nil)
        case .failure(let error)?: return .failure(error)
        case nil:
          state.consumer = done
          return nil
        }
      }
      if let ready { done.end(ready) }
    }
  }
}

/// A buffer was full when another value arrived.
public struct BufferOverflow: Error, Equatable, Sendable, CustomStringConvertible {
  /// The capacity of the buffer, in values.
  public let bound: Int

  /// The error of a buffer for `bound` values.
  public init(bound: Int) {
    self.bound = bound
  }

  /// The failure and its remedy.
  public var description: String {
    "more than \(bound) values were waiting to be taken: take them faster, or raise the bound"
  }
}
