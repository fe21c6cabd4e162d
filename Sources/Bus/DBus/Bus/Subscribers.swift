// Which subscribers of one connection receive which messages.
//
// A pure list; its owner calls the handlers.

/// Rules with their handlers, in the order they were added.
struct Subscribers: Sendable {
  typealias Handler = @Sendable (Message) -> Void

  /// A class: each message looks at all of them, and none of their parts need be copied for it.
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
  /// - Parameter owner: The owner of the rule's sender, when that is a well-known name.
  /// - Returns: The identifier for removing it.
  mutating func add(_ rule: MatchRule, owner: OwnerCell? = nil, _ handler: @escaping Handler)
    -> UInt64
  {
    lastID += 1
    subscribers.append(Subscriber(id: lastID, rule: rule, owner: owner, handler: handler))
    return lastID
  }

  /// Removes a handler. Has no effect when it is already removed.
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
