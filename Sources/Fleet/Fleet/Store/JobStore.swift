// The port between the fleet's protocol and the store that keeps its truth.
//
// Requests and answers are values, so that the protocol is a pure function of them. What a store
// does to carry them out, over a network or in memory, is not known here.

/// The number that a store gives a change; a later change of any key of the same kind has a greater
/// one.
///
/// A compare-and-set names the revision that it replaces, so it is the fencing token of the fleet.
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
  /// Adds a record to a subject whose last record is still the expected one; 0 expects none.
  case append(StoreKey, StoredValue, expecting: Revision)
  /// Reads the last record of a subject. The answer may be stale.
  case last(StoreKey)
  /// Sends a value to the subscribers of a subject. It may be lost, repeated and late.
  case publish(StoreKey, StoredValue)
}

/// What became of a request.
public enum StoreAnswer: Equatable, Sendable {
  /// The change was made.
  case applied(Revision)
  /// The change was not made, and never will be: the revision is not the expected one.
  case refused
  /// No reply within the limit: the change was made, was not made, or will be made later.
  ///
  /// Reading back what the attempt would have written shows which; a change that expects a revision
  /// can no longer be made once that revision has been replaced.
  case unknown
  /// What was read, by key; at most one entry for `last`.
  case entries([StoreEntry])
  /// The store accepted what was published; whether anybody received it is not known.
  case published
  /// A read, or a publish, without a reply within the limit.
  case unavailable
}

/// An entry as a store holds it.
public struct StoreEntry: Equatable, Sendable {
  /// Where it is.
  public let key: StoreKey
  /// What it is.
  public let value: StoredValue
  /// The change that wrote it.
  public let revision: Revision

  /// An entry.
  public init(key: StoreKey, value: StoredValue, revision: Revision) {
    self.key = key
    self.value = value
    self.revision = revision
  }
}

/// What a watch reports.
public enum WatchEvent: Equatable, Sendable {
  /// An entry as it is now.
  case entry(StoreEntry)
  /// An entry was removed by the change of this revision.
  case removed(StoreKey, Revision)
  /// Everything that existed at the start of the watch has been reported.
  case initialStateEnded
}

/// Where a fleet keeps what its members agree on.
///
/// Every handler is called on the loop of the store, in order. A member decides only on the outcome
/// of a compare-and-set or an append: reads may be stale, and deliveries may be lost, repeated and
/// late. The same contract tests hold every store to this.
public protocol JobStore: Sendable {
  /// Carries out a request, and answers exactly once, within the limit.
  ///
  /// - Parameters:
  ///   - request: What to do.
  ///   - limit: When a missing reply becomes ``StoreAnswer/unknown`` or
  ///     ``StoreAnswer/unavailable``.
  ///   - answer: Called on the loop.
  func perform(
    _ request: StoreRequest, within limit: Duration,
    _ answer: @escaping @Sendable (StoreAnswer) -> Void
  )

  /// Reports the entries of a pattern: first those that exist, then ``WatchEvent/initialStateEnded``,
  /// then each change. A change is never missed for good, but changes of one key may be combined.
  func watch(
    _ pattern: KeyPattern, _ handler: @escaping @Sendable (WatchEvent) -> Void
  ) -> StoreSubscription

  /// Reports what is published, and appended, to the subjects of a pattern from now on: in any case what
  /// is sent after a later request of this client was answered.
  func subscribe(
    _ pattern: KeyPattern, _ handler: @escaping @Sendable (StoreKey, StoredValue) -> Void
  ) -> StoreSubscription
}

/// What ends a watch or a subscription.
public struct StoreSubscription: Sendable {
  private let end: @Sendable () -> Void

  /// A subscription that `end` ends.
  public init(end: @escaping @Sendable () -> Void) { self.end = end }

  /// No handler of it is called any more.
  public func cancel() { end() }
}

extension StoreRequest {
  /// What a missing reply to the request means.
  package var withoutReply: StoreAnswer {
    switch self {
    case .create, .update, .remove, .append: .unknown
    case .list, .last, .publish: .unavailable
    }
  }
}
