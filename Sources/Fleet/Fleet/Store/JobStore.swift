// The protocol between the members of a fleet and the store that holds its state.
//
// Requests and answers are values, so that the members' decisions are pure functions of them. It does
// not depend on how a store carries them out: over a network or in memory.

package import Signals

/// The number of a change in a store. It grows with each change of any key of the same kind.
///
/// A compare-and-set names the revision that it replaces, which makes it the fencing token of the fleet.
public typealias Revision = UInt64

/// One request to a store.
public enum StoreRequest: Equatable, Sendable {
  /// Writes an entry that does not exist. A removed entry does not exist.
  case create(StoreKey, StoredValue)
  /// Replaces an entry whose revision is still the expected one: a compare-and-set.
  case update(StoreKey, StoredValue, expecting: Revision)
  /// Removes an entry whose revision is still the expected one.
  case remove(StoreKey, expecting: Revision)
  /// Reads the entries of a pattern. The answer may be stale.
  case list(KeyPattern)
  /// Appends a record to a subject whose last record is still the expected one; 0 expects no record.
  case append(StoreKey, StoredValue, expecting: Revision)
  /// Reads the last record of a subject. The answer may be stale.
  case last(StoreKey)
  /// Sends a value to the subscribers of a subject. The value may be lost, repeated or late.
  case publish(StoreKey, StoredValue)
}

/// The outcome of a request.
public enum StoreAnswer: Equatable, Sendable {
  /// The change was made.
  case applied(Revision)
  /// The change was not made and never will be: the revision is not the expected one.
  case refused
  /// No reply within the limit: the change was made, was not made, or may still be made later.
  ///
  /// Read the key back to find out. Once the expected revision has been replaced, the change can no
  /// longer be made.
  case unknown
  /// The entries that were read, sorted by key; at most one for `last`.
  case entries([StoreEntry])
  /// The store accepted the published value. This does not say that a subscriber received it.
  case published
  /// The key that was read has a value, and this member cannot read it: invalid, or of a later version.
  case unreadable(UnreadableValue)
  /// No reply to a read or a publish within the limit.
  case unavailable
}

/// An entry as a store holds it.
public struct StoreEntry: Equatable, Sendable {
  /// The key of the entry.
  public let key: StoreKey
  /// The value of the entry.
  public let value: StoredValue
  /// The revision of the change that wrote it.
  public let revision: Revision

  /// Creates an entry.
  public init(key: StoreKey, value: StoredValue, revision: Revision) {
    self.key = key
    self.value = value
    self.revision = revision
  }
}

/// A report of a watch.
public enum WatchEvent: Equatable, Sendable {
  /// The current state of an entry.
  case entry(StoreEntry)
  /// An entry was removed by the change of this revision.
  case removed(StoreKey, Revision)
  /// Everything that existed at the start of the watch has been reported.
  case initialStateEnded
}

/// The shared state of a fleet.
///
/// Every handler is called on the loop of the store, in order. Reads may be stale, and deliveries may be
/// lost, repeated or late. So a member must decide only on the outcome of a compare-and-set or an append.
/// One set of contract tests checks every store.
public protocol JobStore: Sendable {
  /// Carries out a request, and calls `answer` exactly once, within the limit.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - limit: The time after which a missing reply is answered with ``StoreAnswer/unknown`` or
  ///     ``StoreAnswer/unavailable``.
  ///   - answer: Called on the loop.
  func perform(
    _ request: StoreRequest, within limit: Duration,
    _ answer: @escaping @Sendable (StoreAnswer) -> Void
  )

  /// Reports the entries that match a pattern: first those that exist, then
  /// ``WatchEvent/initialStateEnded``, then each change. The latest state of each key is always reported
  /// in the end, but several changes of one key may be combined into one.
  func watch(
    _ pattern: KeyPattern, _ handler: @escaping @Sendable (WatchEvent) -> Void
  ) -> StoreSubscription

  /// Reports the values published and appended to matching subjects from now on.
  ///
  /// The subscription is certainly in place once a later request of this client has been answered.
  func subscribe(
    _ pattern: KeyPattern, _ handler: @escaping @Sendable (StoreKey, StoredValue) -> Void
  ) -> StoreSubscription

  /// The identity of the store's contents. It changes when they are lost or set back: revisions
  /// that were known before mean nothing then.
  var identity: String { get }

  /// Calls the handler each time this client meets a store with another identity.
  ///
  /// Requests sent before that are answered as if no reply had come, and are not carried out in the
  /// new store. Watches and subscriptions continue there.
  func observeReplacement(_ handler: @escaping @Sendable () -> Void) -> StoreSubscription

  /// Calls the handler each time the connection of this client was made again, to a store with the same identity:
  /// published values may have been missed. Subscriptions are in place again by then.
  func observeReconnection(_ handler: @escaping @Sendable () -> Void) -> StoreSubscription
}

/// A handle that ends a watch or a subscription.
public struct StoreSubscription: Sendable {
  private let end: @Sendable () -> Void

  /// Creates a handle whose cancellation calls `end`.
  public init(end: @escaping @Sendable () -> Void) { self.end = end }

  /// Ends the watch or subscription: its handler is not called any more.
  public func cancel() { end() }
}

extension StoreRequest {
  /// The answer that stands for a missing reply to this request.
  package var withoutReply: StoreAnswer {
    switch self {
    case .create, .update, .remove, .append: .unknown
    case .list, .last, .publish: .unavailable
    }
  }
}

extension JobStore {
  /// The answer to a request.
  package func ask(
    _ request: StoreRequest, within limit: Duration = .seconds(2), on loop: Loop
  ) async throws -> StoreAnswer {
    try await wait(
      on: loop, operation: "asking the store of the fleet", limit: limit + .seconds(1)
    ) { (done: Completion<StoreAnswer>) in
      perform(request, within: limit) { done.succeed($0) }
    }
  }
}
