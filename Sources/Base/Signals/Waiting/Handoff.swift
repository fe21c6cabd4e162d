// A rendezvous channel: values pass from producing tasks to one consuming task, one at a time.
//
// Unlike a Mailbox it buffers nothing: a producer waits until the consumer has handled its value.

/// A rendezvous between producers and one consumer.
final class Handoff<Value: Sendable>: Sendable {
  /// A value, and the completion that the consumer ends when it has handled the value.
  typealias Offer = (value: Value, handled: Completion<Void>)

  private struct State {
    var offers: [Offer] = []
    var consumer: Completion<Offer>?
    /// Whether the consumer has stopped: offers fail.
    var isClosed = false
  }

  private let state = Guarded(State())
  private let loop: Loop

  init(on loop: Loop) {
    self.loop = loop
  }

  /// Offers a value and waits until the consumer has handled it.
  func send(_ value: Value) async throws {
    try await wait(on: loop, operation: TimedOut.sending) { offer((value, $0)) }
  }

  /// Offers a value without waiting for it to be consumed.
  func post(_ value: Value) {
    let handled = Completion<Void>()
    handled.succeed(())
    offer((value, handled))
  }

  private func offer(_ offer: Offer) {
    let (consumer, refused): (Completion<Offer>?, Bool) = state.withLock { state in
      if state.isClosed { return (nil, true) }
      if let consumer = state.consumer {
        state.consumer = nil
        return (consumer, false)
      }
      state.offers.append(offer)
      return (nil, false)
    }
    if let consumer, !consumer.succeed(offer) { self.offer(offer) }
    if refused { offer.handled.fail(CancellationError()) }
  }

  /// Waits for the next value, in the order they were offered.
  func next() async throws -> Offer {
    try await wait(on: loop, operation: TimedOut.waiting) { (next: Completion<Offer>) in
      let ready: Offer? = state.withLock { state in
        if !state.offers.isEmpty { return state.offers.removeFirst() }
        state.consumer = next
        return nil
      }
      if let ready { next.succeed(ready) }
    }
  }

  /// Fails every present and later offer. Called when the consumer stops.
  func close() {
    let offers = state.withLock { state in
      state.isClosed = true
      defer { state.offers = [] }
      return state.offers
    }
    for (_, handled) in offers { handled.fail(CancellationError()) }
  }
}
