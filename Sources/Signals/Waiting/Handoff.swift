// Values handed from producing tasks to one consuming task, one at a time.
//
// The producer waits until its value was taken and dealt with, so back-pressure passes through and
// nothing is buffered.

/// A meeting point: producers offer, one consumer takes.
@usableFromInline
final class Handoff<Value: Sendable>: Sendable {
  @usableFromInline
  enum Event: Sendable {
    case value(Value, Completion<Void>)
    case finished(Result<Void, any Error>)
  }

  private struct State {
    var offers: [Event] = []
    var taker: Completion<Event>?
    /// Set when the consumer has left: offers fail.
    var isClosed = false
  }

  private let state = Guarded(State())
  private let loop: Loop

  @usableFromInline
  init(on loop: Loop) {
    self.loop = loop
  }

  /// Offers a value and waits until the consumer has handled it.
  @usableFromInline
  func send(_ value: Value) async throws {
    try await wait(on: loop, operation: TimedOut.sending) { (taken: Completion<Void>) in
      offer(.value(value, taken))
    }
  }

  /// Reports the end of one producer.
  @usableFromInline
  func finish(_ result: Result<Void, any Error>) { offer(.finished(result)) }

  private func offer(_ event: Event) {
    let (taker, refused): (Completion<Event>?, Bool) = state.withLock { state in
      if state.isClosed { return (nil, true) }
      if let taker = state.taker {
        state.taker = nil
        return (taker, false)
      }
      state.offers.append(event)
      return (nil, false)
    }
    if let taker, !taker.succeed(event) { offer(event) }
    if refused, case .value(_, let taken) = event { taken.fail(CancellationError()) }
  }

  /// Takes the next event, in order of offering.
  @usableFromInline
  func next() async throws -> Event {
    try await wait(on: loop, operation: TimedOut.waiting) { (next: Completion<Event>) in
      let ready: Event? = state.withLock { state in
        if state.offers.isEmpty {
          state.taker = next
          return nil
        }
        return state.offers.removeFirst()
      }
      if let ready { next.succeed(ready) }
    }
  }

  /// The consumer leaves: every offer, present or later, fails.
  @usableFromInline
  func close() {
    let offers = state.withLock { state in
      state.isClosed = true
      defer { state.offers = [] }
      return state.offers
    }
    for case .value(_, let taken) in offers { taken.fail(CancellationError()) }
  }
}
