// The signal subscribers of one connection, with the handles of subscriptions and exports.
//
// Pure lists; their owner calls the handlers.

import Signals

/// Match rules with their handlers, in the order they were added.
struct Subscribers: Sendable {
  typealias Handler = @Sendable (Message) -> Void

  /// A class, because each message is compared with all of them: iterating copies only references.
  private final class Subscriber: Sendable {
    let id: UInt64
    let rule: MatchRule
    let owner: OwnerCell?
    let handler: Handler

    init(id: UInt64, rule: MatchRule, owner: OwnerCell?, handler: @escaping Handler) {
      self.id = id
      self.rule = rule
      self.owner = owner
      self.handler = handler
    }
  }

  private var subscribers: [Subscriber] = []
  private var lastID: UInt64 = 0

  /// Adds a handler.
  ///
  /// - Parameter owner: The owner of the rule's sender, if that is a well-known name.
  /// - Returns: The identifier for removing it.
  mutating func add(_ rule: MatchRule, owner: OwnerCell? = nil, _ handler: @escaping Handler)
    -> UInt64
  {
    lastID += 1
    subscribers.append(Subscriber(id: lastID, rule: rule, owner: owner, handler: handler))
    return lastID
  }

  /// Removes a handler. Has no effect if it was removed before.
  mutating func remove(_ id: UInt64) { subscribers.removeAll { $0.id == id } }

  /// Whether a handler is still subscribed.
  func contains(_ id: UInt64) -> Bool { subscribers.contains { $0.id == id } }

  /// The handlers that receive a message, in the order they were added.
  func matching(_ message: Message) -> [(id: UInt64, handler: Handler)] {
    var matching: [(id: UInt64, handler: Handler)] = []
    for subscriber in subscribers
    where subscriber.rule.matches(message, resolvingSender: { _ in subscriber.owner?.owner }) {
      matching.append((subscriber.id, subscriber.handler))
    }
    return matching
  }
}

/// Handlers of method calls, in the order they were added.
struct Exports: Sendable {
  private var handlers: [(id: UInt64, handler: any ObjectHandler)] = []
  private var lastID: UInt64 = 0

  /// The handlers, in the order in which they are offered a call.
  var all: [any ObjectHandler] { handlers.map(\.handler) }

  /// Adds a handler.
  ///
  /// - Returns: The identifier for removing it.
  mutating func add(_ handler: any ObjectHandler) -> UInt64 {
    lastID += 1
    handlers.append((lastID, handler))
    return lastID
  }

  /// Removes a handler. Has no effect if it was removed before.
  mutating func remove(_ id: UInt64) { handlers.removeAll { $0.id == id } }
}

/// A subscription, active until it is cancelled or the bus ends. Releasing it does not cancel it.
package final class Subscription: Sendable {
  private struct State {
    /// Removes the subscription; nil after that.
    var undo: (@Sendable () -> Void)?
  }

  private let state: Guarded<State>

  /// - Parameter cancel: Ends it. Called at most once.
  init(cancel: @escaping @Sendable () -> Void) { state = Guarded(State(undo: cancel)) }

  /// Ends the subscription, without waiting for the bus. If this is called on the loop, no handler
  /// is called after it returns.
  package func cancel() {
    let undo = state.withLock { state in
      defer { state.undo = nil }
      return state.undo
    }
    undo?()
  }
}

/// An exported handler of method calls, active until it is cancelled or the bus ends. Releasing it
/// does not cancel it.
package final class Export: Sendable {
  private let subscription: Subscription

  /// - Parameter cancel: Ends it. Called at most once.
  init(cancel: @escaping @Sendable () -> Void) { subscription = Subscription(cancel: cancel) }

  /// Removes the handler: it gets no later calls.
  package func cancel() { subscription.cancel() }
}
