// A bounded queue from any thread to one task.

/// Values in order of arrival, up to a bound, for one consumer.
///
/// The producer never waits. A value that finds the mailbox full ends it with ``BufferOverflow``,
/// so that nothing is lost in silence.
package final class Mailbox<Value: Sendable>: Sendable {
  private struct State {
    var values: [Value] = []
    var head = 0
    var taker: Completion<Value?>?
    var ending: Result<Void, any Error>?
  }

  /// How many values wait at most.
  package let bound: Int
  private let state = Guarded(State())

  /// Makes an empty mailbox.
  package init(bound: Int) {
    precondition(bound > 0, "a mailbox holds at least one value")
    self.bound = bound
  }

  /// Puts a value in; ignored when the mailbox has ended.
  package func send(_ value: Value) {
    let taker: Completion<Value?>? = state.withLock { state in
      guard state.ending == nil else { return nil }
      if let taker = state.taker {
        state.taker = nil
        if !taker.hasEnded { return taker }
      }
      if state.values.count - state.head >= bound {
        state.ending = .failure(BufferOverflow(bound: bound))
      } else {
        state.values.append(value)
      }
      return nil
    }
    if let taker, !taker.succeed(value) { putBack(value) }
  }

  /// The taker was cancelled as the value came: the next one gets it.
  private func putBack(_ value: Value) {
    state.withLock { state in
      state.values.insert(value, at: state.head)
    }
  }

  /// Ends the mailbox: what is in it is still taken, then the consumer gets the ending.
  package func finish(_ ending: Result<Void, any Error> = .success(())) {
    let taker: Completion<Value?>? = state.withLock { state in
      guard state.ending == nil else { return nil }
      state.ending = ending
      defer { state.taker = nil }
      return state.taker
    }
    switch ending {
    case .success: taker?.succeed(nil)
    case .failure(let error): taker?.fail(error)
    }
  }

  /// Waits for the next value.
  ///
  /// - Returns: Nil when the mailbox was finished and is empty.
  /// - Throws: What it was finished with; ``BufferOverflow``; what ends a wait.
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
          state.taker = done
          return nil
        }
      }
      if let ready { done.end(ready) }
    }
  }
}

/// More values came than a buffer may hold.
public struct BufferOverflow: Error, Equatable, Sendable, CustomStringConvertible {
  /// How many values the buffer holds at most.
  public let bound: Int

  /// The error of a buffer for `bound` values.
  public init(bound: Int) {
    self.bound = bound
  }

  /// What went wrong, and what to do about it.
  public var description: String {
    "more than \(bound) values were waiting to be taken: take them faster, or raise the bound"
  }
}
