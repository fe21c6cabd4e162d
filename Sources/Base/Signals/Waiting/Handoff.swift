// Values handed from producing tasks to one consuming task, one at a time.
//
// The producer waits until its value was taken and dealt with, so back-pressure passes through and
// nothing is buffered.

/// A meeting point: producers offer, one consumer takes.
final class Handoff<Value: Sendable>: Sendable {
  /// A value, and what the consumer ends when it has dealt with it.
  typealias Offer = (value: Value, taken: Completion<Void>)

  private struct State {
    var offers: [Offer] = []
    var taker: Completion<Offer>?
    /// Set when the consumer has left: offers fail.
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

  /// Offers a value behind which nobody waits.
  func post(_ value: Value) {
    let taken = Completion<Void>()
    taken.succeed(())
    offer((value, taken))
  }

  private func offer(_ offer: Offer) {
    let (taker, refused): (Completion<Offer>?, Bool) = state.withLock { state in
      if state.isClosed { return (nil, true) }
      if let taker = state.taker {
        state.taker = nil
        return (taker, false)
      }
      state.offers.append(offer)
      return (nil, false)
    }
    if let taker, !taker.succeed(offer) { self.offer(offer) }
    if refused { offer.taken.fail(CancellationError()) }
  }

  /// Takes the next value, in order of offering.
  func next() async throws -> Offer {
    try await wait(on: loop, operation: TimedOut.waiting) { (next: Completion<Offer>) in
      let ready: Offer? = state.withLock { state in
        if !state.offers.isEmpty { return state.offers.removeFirst() }
        state.taker = next
        return nil
      }
      if let ready { next.succeed(ready) }
    }
  }

  /// The consumer leaves: every offer, present or later, fails.
  func close() {
    let offers = state.withLock { state in
      state.isClosed = true
      defer { state.offers = [] }
      return state.offers
    }
    for (_, taken) in offers { taken.fail(CancellationError()) }
  }
}
