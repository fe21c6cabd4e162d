// Who hears of which messages of one connection.
//
// A pure list; whoever holds it calls the handlers.

/// Rules with their handlers, in the order they came.
struct Subscribers: Sendable {
  typealias Handler = @Sendable (Message) -> Void

  private struct Subscriber: Sendable {
    let id: UInt64
    let rule: MatchRule
    let owner: OwnerCell?
    let handler: Handler
  }

  private var subscribers: [Subscriber] = []
  private var lastID: UInt64 = 0

  /// Adds a handler.
  ///
  /// - Parameter owner: Knows the owner of the rule's sender, when that is a well-known name.
  /// - Returns: What it is removed by.
  mutating func add(_ rule: MatchRule, owner: OwnerCell? = nil, _ handler: @escaping Handler)
    -> UInt64
  {
    lastID += 1
    subscribers.append(Subscriber(id: lastID, rule: rule, owner: owner, handler: handler))
    return lastID
  }

  /// Removes a handler. Without effect when it is gone.
  mutating func remove(_ id: UInt64) { subscribers.removeAll { $0.id == id } }

  /// Whether a handler is still there.
  func contains(_ id: UInt64) -> Bool { subscribers.contains { $0.id == id } }

  /// Those who hear of a message, in the order they came.
  func hearers(of message: Message) -> [(id: UInt64, handler: Handler)] {
    var hearers: [(id: UInt64, handler: Handler)] = []
    for subscriber in subscribers
    where subscriber.rule.matches(message, resolvingSender: { _ in subscriber.owner?.owner }) {
      hearers.append((subscriber.id, subscriber.handler))
    }
    return hearers
  }
}
