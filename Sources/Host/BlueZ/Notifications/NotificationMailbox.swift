// The path of notified values from the bus to one subscriber.

import Bluetooth
import Signals

/// A bounded queue of one subscriber; the producer never waits.
final class NotificationMailbox: Sendable {
  private struct State {
    var queue: NotificationQueue
    /// The subscription is active, or was.
    var hasBegun = false
    /// Why it ended; nil while it has not.
    var ending: (any Error)?
    /// The subscription sends nothing more; with the error of the call that ended it.
    var departure: Result<Void, any Error>?
    /// When a subscriber began to move to another subscription; it misses values until that is
    /// active.
    var movedSince: Instant?
    /// The subscription wants a connection: the subscriber makes it.
    var mayReconnect = false
    /// The number of entries removed since the last one that was waited for.
    var poppedAtOnce = 0

    var isReady: Bool { !queue.isEmpty || ending != nil || mayReconnect }
  }

  /// The next event for the subscriber.
  enum Next {
    case entry(NotificationQueue.Entry)
    /// Connect, unless another subscriber does.
    case reconnect
  }

  /// The number of entries removed before the loop does other work.
  static let mostAtOnce = 64

  let options: SubscriptionOptions
  private let state: Awaited<State>

  init(_ options: SubscriptionOptions) {
    self.options = options
    state = Awaited(State(queue: NotificationQueue(bound: options.buffer, rule: options.overflow)))
  }

  // MARK: The subscription

  /// Adds a value; ignored when the mailbox has ended.
  func send(_ notification: NotifiedValue) {
    state.change { state in
      guard state.ending == nil else { return }
      if !state.queue.put(notification) { state.ending = BufferOverflow(bound: options.buffer) }
    }
  }

  /// The subscription is active.
  func began(at instant: Instant) {
    state.change { state in
      state.hasBegun = true
      guard let since = state.movedSince else { return }
      state.movedSince = nil
      state.queue.interrupted(from: since, to: instant)
    }
  }

  /// The subscription was interrupted, and is active again.
  func add(_ gap: SubscriptionMachine.Gap) {
    state.change { $0.queue.interrupted(from: gap.from, to: gap.to) }
  }

  /// Ends the mailbox: the subscriber fails after the buffered values, or has left.
  func end(_ error: (any Error)?, open gap: SubscriptionMachine.Gap?) {
    state.change { state in
      state.departure = error.map { .failure($0) } ?? .success(())
      guard let error, state.ending == nil else { return }
      if let gap { state.queue.interrupted(from: gap.from, to: gap.to) }
      state.ending = error
    }
  }

  /// Notes whether the subscription wants a connection.
  func mayReconnect(_ isWanted: Bool) {
    guard options.onLinkLoss == .resume else { return }
    state.change { $0.mayReconnect = isWanted }
  }

  /// The subscriber moves to another subscription, and misses values until that begins.
  func moves(since: Instant) {
    state.withLock { ($0.movedSince, $0.hasBegun, $0.mayReconnect) = (since, false, false) }
  }

  // MARK: The subscriber

  /// The instant since which a subscriber that moves to another subscription misses values.
  var movedSince: Instant? { state.withLock { $0.movedSince } }

  /// Whether the subscription was ever active.
  var hasBegun: Bool { state.withLock { $0.hasBegun } }

  /// Whether the subscription sends nothing more.
  var hasLeft: Bool { state.withLock { $0.departure != nil } }

  /// Waits until the subscription is active.
  ///
  /// - Throws: The reason why it could not begin; the errors of a wait.
  func untilBegun(on loop: Loop, operation: String) async throws {
    try await state.until(operation, on: loop) { state in
      if state.hasBegun { return () }
      if let ending = state.ending { throw ending }
      return nil
    }
  }

  /// Waits until the subscription sends nothing more.
  ///
  /// - Throws: The error of the call that ended it; the errors of a wait.
  func untilLeft(on loop: Loop, operation: String) async throws {
    try await state.until(operation, on: loop) { try $0.departure?.get() }
  }

  /// Waits for the next entry. Existing entries are returned without a wait; after ``mostAtOnce``
  /// of them the loop does other work first.
  ///
  /// - Throws: The failure that ended the mailbox, after its contents; the errors of a wait.
  func next(on loop: Loop, operation: String) async throws -> Next {
    if let entry = popIfAvailable() { return .entry(entry) }
    while true {
      let isLate = state.withLock { $0.isReady && $0.poppedAtOnce == Self.mostAtOnce }
      if isLate {
        try await wait(on: loop, operation: operation) { done in loop.post { done.succeed(()) } }
      } else {
        // Also for an existing entry: a subscriber that was cancelled receives none.
        try await state.until(operation, on: loop) { $0.isReady ? () : nil }
      }
      let next: Result<Next, any Error>? = state.withLock { state in
        state.poppedAtOnce = 0
        if let entry = state.queue.popFirst() { return .success(.entry(entry)) }
        if let ending = state.ending { return .failure(ending) }
        return state.mayReconnect ? .success(.reconnect) : nil
      }
      if let next { return try next.get() }
    }
  }

  /// Removes an existing entry; nil if there is none, or the loop has to do other work first.
  private func popIfAvailable() -> NotificationQueue.Entry? {
    guard !Task.isCancelled else { return nil }
    return state.withLock { state in
      guard state.poppedAtOnce < Self.mostAtOnce, let entry = state.queue.popFirst() else {
        return nil
      }
      state.poppedAtOnce += 1
      return entry
    }
  }
}
