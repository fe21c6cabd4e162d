// A store in memory, for simulations and tests: seeded faults make it lose, delay and repeat messages
// as a store over a network does.
//
// Not for production: nothing is kept beyond the process. Tests/Fleet/FleetTests holds it to the same
// contract as the store on NATS.

public import Signals

/// A store in memory, with one client for each member of a fleet.
///
/// The seed decides the faults of single messages; the test calls for cuts and restarts. While the
/// sending of a client is cut, half of its requests are lost; the other half arrive late, when it is
/// healed.
public final class MemoryStore: Sendable {
  /// One direction of a connection.
  public enum Direction: CaseIterable, Sendable {
    /// From the client to the store.
    case sending
    /// From the store to the client.
    case receiving
  }

  struct Watch {
    let id: Int
    let client: String
    let pattern: KeyPattern
    var seen: Revision
    let handler: @Sendable (WatchEvent) -> Void
  }

  struct Subscriber {
    let id: Int
    let client: String
    let handler: @Sendable (StoreKey, StoredValue) -> Void
  }

  /// A client that wants to know when the contents are replaced, or its connection was made again.
  struct Observer {
    let id: Int
    let client: String
    let handler: @Sendable () -> Void
  }

  /// A request that is held while its client is cut off from the store.
  struct HeldRequest {
    let id: Int
    let client: String
    let arrive: @Sendable () -> Void
  }

  /// A request that has not been answered yet.
  struct OpenRequest {
    let answer: @Sendable (StoreAnswer) -> Void
    /// Answers the request at its limit.
    var timer: LoopTimer?
  }

  struct State {
    var contents = StoreContents()
    var generator: SeededGenerator
    var faults: StoreFaults
    var isRunning = true
    var cuts: [String: Set<Direction>] = [:]
    var held: [HeldRequest] = []
    var open: [Int: OpenRequest] = [:]
    var watches: [Watch] = []
    var subscribers: [KeyPattern: [Subscriber]] = [:]
    var observers: [Observer] = []
    var reconnectionObservers: [Observer] = []
    /// The contents that each client has met, as ``StoreContents/predecessors``.
    var met: [String: Int] = [:]
    var nextID = 0
    var deliveries = 0

    func isOpen(_ client: String, _ direction: Direction) -> Bool {
      isRunning && !(cuts[client]?.contains(direction) ?? false)
    }

    mutating func makeID() -> Int {
      nextID += 1
      return nextID
    }
  }

  let loop: Loop
  let state: Guarded<State>
  private let observer: (@Sendable (StoreRequest, Revision) -> Void)?

  /// Creates an empty store.
  ///
  /// - Parameters:
  ///   - loop: The loop that every handler is called on.
  ///   - seed: The seed of the faults.
  ///   - faults: The kinds of faults and their chances.
  ///   - observer: Called with each change as it is made.
  public init(
    on loop: Loop, seed: UInt64, faults: StoreFaults = .none,
    observer: (@Sendable (StoreRequest, Revision) -> Void)? = nil
  ) {
    self.loop = loop
    self.observer = observer
    let generator = SeededGenerator(seed: seed, name: "store")
    state = Guarded(State(generator: generator, faults: faults))
  }

  /// Returns the client of a member. Clients with the same name share one connection.
  public func client(_ name: String) -> some JobStore {
    state.withLock { $0.met[name] = $0.met[name] ?? $0.contents.predecessors }
    return MemoryStoreClient(name: name, store: self)
  }

  /// The current entries that match a pattern.
  public func entries(_ pattern: KeyPattern) -> [StoreEntry] {
    state.withLock { $0.contents.entries(pattern, at: loop.now) }
  }

  /// The number of deliveries made to watches and subscribers.
  public var deliveries: Int { state.withLock { $0.deliveries } }

  /// Replaces the faults of all later messages.
  public func setFaults(_ faults: StoreFaults) { state.withLock { $0.faults = faults } }

  /// Removes all watches, subscribers and pending requests; no handler is called any more.
  package func close() {
    // A handler may hold the last reference to this store: the returned copy is released outside the
    // lock.
    _ = state.withLock { state in
      defer {
        (state.watches, state.subscribers) = ([], [:])
        (state.observers, state.reconnectionObservers) = ([], [])
        (state.held, state.open) = ([], [:])
      }
      return state
    }
  }

  // MARK: Foreign members

  /// Stores a text under a key unchecked, as a member of another version might write it.
  package func put(_ text: String, at key: StoreKey) {
    state.withLock { _ = $0.contents.write(key, text, at: loop.now) }
    for watch in state.withLock({ $0.watches.map(\.id) }) { update(watch) }
  }

  // MARK: Disturbances

  /// Cuts the connection of a client in one direction.
  public func cut(_ client: String, _ direction: Direction) {
    state.withLock { _ = $0.cuts[client, default: []].insert(direction) }
  }

  /// Restores the connection of a client in both directions. Held requests arrive now, late.
  public func heal(_ client: String) {
    let wasCut = state.withLock { $0.cuts.removeValue(forKey: client) != nil }
    if wasCut, state.withLock({ $0.isRunning }) { reconnect(client) }
  }

  /// Stops the store. Its entries are kept.
  public func stop() {
    state.withLock { $0.isRunning = false }
  }

  /// Starts the store again.
  public func start() {
    state.withLock { $0.isRunning = true }
    reconnect(nil)
  }

  /// Loses all entries and records, like a server whose disk was replaced. Revisions begin at 1
  /// again.
  public func replaceContents() {
    state.withLock { state in
      let predecessors = state.contents.predecessors + 1
      state.contents = StoreContents()
      state.contents.predecessors = predecessors
      state.held = []
      for index in state.watches.indices { state.watches[index].seen = 0 }
    }
    announceReplacement()
  }

  /// Tells the reachable clients that have not met the current contents.
  private func announceReplacement() {
    let (predecessors, clients) = state.withLock { state in
      let current = state.contents.predecessors
      let behind = state.met.filter { name, met in
        met != current && Direction.allCases.allSatisfy { state.isOpen(name, $0) }
      }
      return (current, behind.keys.sorted())
    }
    for client in clients {
      loop.post { [self] in
        let observers = state.withLock { state in
          state.met[client] = predecessors
          return state.observers.filter { $0.client == client }
        }
        for observer in observers { observer.handler() }
      }
    }
  }

  /// Delivers the held requests and the missed changes of a client; of all clients if nil.
  private func reconnect(_ client: String?) {
    announceReplacement()
    let arriving = state.withLock { state in
      let held = state.held
      let arriving = held.filter { client == nil || $0.client == client }
        .filter { state.isOpen($0.client, .sending) }
      state.held = held.filter { one in !arriving.contains { $0.id == one.id } }
      return arriving
    }
    for request in arriving { request.arrive() }
    for watch in state.withLock({ $0.watches }) where client == nil || watch.client == client {
      update(watch.id)
    }
    let observers = state.withLock { state in
      state.reconnectionObservers.filter { one in
        (client == nil || one.client == client)
          && state.met[one.client] == state.contents.predecessors
          && Direction.allCases.allSatisfy { state.isOpen(one.client, $0) }
      }
    }
    for observer in observers { loop.post { observer.handler() } }
  }

  // MARK: Requests

  func perform(
    _ request: StoreRequest, of client: String, within limit: Duration,
    _ answer: @escaping @Sendable (StoreAnswer) -> Void
  ) {
    let (passage, met) = state.withLock { state in
      (state.faults.drawPassage(&state.generator), state.met[client])
    }
    // A request that was sent to contents that are lost never reaches the new ones.
    let isCurrent: @Sendable () -> Bool = { [self] in
      state.withLock { $0.contents.predecessors == met }
    }
    let id = state.withLock { state in
      let id = state.makeID()
      state.open[id] = OpenRequest(answer: answer)
      return id
    }
    let timer = loop.after(limit) { [self] in reply(request.withoutReply, to: id) }
    state.withLock { $0.open[id]?.timer = timer }
    let arrive: @Sendable () -> Void = { [self] in
      guard isCurrent() else { return }
      let answer = execute(request, age: passage.age)
      guard let delay = passage.reply else { return }
      loop.after(delay) { [self] in
        guard isCurrent() else { return }
        if state.withLock({ $0.isOpen(client, .receiving) }) { reply(answer, to: id) }
      }
    }
    guard let delay = passage.request else { return }
    loop.after(delay) { [self] in
      let isOpen = state.withLock { state in
        if state.isOpen(client, .sending) { return true }
        // Half of the requests sent while the connection is cut arrive when it is restored.
        if state.generator.fires(500) {
          let id = state.makeID()
          state.held.append(HeldRequest(id: id, client: client, arrive: arrive))
        }
        return false
      }
      if isOpen { arrive() }
    }
  }

  /// Answers a request, unless it has already been answered.
  private func reply(_ answer: StoreAnswer, to id: Int) {
    guard let open = state.withLock({ $0.open.removeValue(forKey: id) }) else { return }
    open.timer?.cancel()
    open.answer(answer)
  }

  /// Carries out a request that has arrived at the store.
  private func execute(_ request: StoreRequest, age: Duration) -> StoreAnswer {
    let now = loop.now
    switch request {
    case .create, .update, .remove, .append: return change(request, at: now)
    case .list(.all(let kind)):
      return .entries(state.withLock { $0.contents.entries(.all(kind), at: now - age) })
    case .list(.one(let key)), .last(let key):
      return state.withLock { state in
        let found = state.contents.entries(.one(key), at: now - age)
        let problem = found.isEmpty ? state.contents.problem(key, at: now - age) : nil
        return problem.map { .unreadable($0) } ?? .entries(found)
      }
    case .publish(let key, let value):
      deliver(value, to: key)
      return .published
    }
  }

  private func change(_ request: StoreRequest, at now: Instant) -> StoreAnswer {
    let answer = state.withLock { $0.contents.change(request, at: now) } ?? .refused
    guard case .applied(let revision) = answer else { return answer }
    observer?(request, revision)
    if case .append(let key, let value, _) = request { deliver(value, to: key) }
    let watches = state.withLock { $0.watches.map(\.id) }
    for watch in watches {
      let delay = state.withLock { $0.faults.drawLatency(&$0.generator) }
      loop.after(delay) { [self] in update(watch) }
    }
    return answer
  }

  // MARK: Deliveries

  private func deliver(_ sent: StoredValue, to key: StoreKey) {
    // Subscribers parse the stored text; a value that cannot be parsed is not delivered.
    guard let value = try? StoredValue(sent.text, at: key) else { return }
    let subscribers = state.withLock { state in
      (state.subscribers[.one(key)] ?? []) + (state.subscribers[.all(key.kind)] ?? [])
    }
    for subscriber in subscribers {
      for delay in state.withLock({ $0.faults.drawDeliveries(&$0.generator) }) {
        loop.after(delay) { [self] in
          let isPresent = state.withLock { state in
            let isOpen = state.isOpen(subscriber.client, .receiving)
            let present = [.one(key), .all(key.kind)].contains { pattern in
              state.subscribers[pattern]?.contains { $0.id == subscriber.id } ?? false
            }
            if isOpen && present { state.deliveries += 1 }
            return isOpen && present
          }
          if isPresent { subscriber.handler(key, value) }
        }
      }
    }
  }

  /// Reports to a watch the changes since its last report.
  func update(_ id: Int) {
    let (handler, events) = state.withLock { state -> (Watch?, [WatchEvent]) in
      guard let index = state.watches.firstIndex(where: { $0.id == id }) else { return (nil, []) }
      let watch = state.watches[index]
      guard state.isOpen(watch.client, .receiving) else { return (nil, []) }
      let events = state.contents.changes(watch.pattern, after: watch.seen)
      state.watches[index].seen = state.contents.revision
      state.deliveries += events.count
      return (watch, events)
    }
    for event in events { handler?.handler(event) }
  }
}

/// A client of a ``MemoryStore``.
private struct MemoryStoreClient: JobStore {
  let name: String
  let store: MemoryStore

  func perform(
    _ request: StoreRequest, within limit: Duration,
    _ answer: @escaping @Sendable (StoreAnswer) -> Void
  ) {
    store.perform(request, of: name, within: limit, answer)
  }

  func watch(
    _ pattern: KeyPattern, _ handler: @escaping @Sendable (WatchEvent) -> Void
  ) -> StoreSubscription {
    let first = store.state.withLock { state -> (id: Int, events: [WatchEvent]) in
      let id = state.makeID()
      let events = state.contents.changes(pattern, after: 0).filter { event in
        if case .removed = event { false } else { true }
      }
      state.watches.append(
        MemoryStore.Watch(
          id: id, client: name, pattern: pattern, seen: state.contents.revision, handler: handler
        )
      )
      return (id, events)
    }
    store.loop.post { [store] in
      guard store.state.withLock({ $0.watches.contains { $0.id == first.id } }) else { return }
      for event in first.events { handler(event) }
      handler(.initialStateEnded)
    }
    return StoreSubscription { [store] in
      store.state.withLock { $0.watches.removeAll { $0.id == first.id } }
    }
  }

  func subscribe(
    _ pattern: KeyPattern, _ handler: @escaping @Sendable (StoreKey, StoredValue) -> Void
  ) -> StoreSubscription {
    let id = store.state.withLock { state in
      let id = state.makeID()
      state.subscribers[pattern, default: []].append(
        MemoryStore.Subscriber(id: id, client: name, handler: handler)
      )
      return id
    }
    return StoreSubscription { [store] in
      store.state.withLock { $0.subscribers[pattern]?.removeAll { $0.id == id } }
    }
  }
}

extension MemoryStoreClient {
  var identity: String { store.state.withLock { "contents-\($0.met[name] ?? 0)" } }

  func observeReplacement(_ handler: @escaping @Sendable () -> Void) -> StoreSubscription {
    let id = store.state.withLock { state in
      let id = state.makeID()
      state.observers.append(MemoryStore.Observer(id: id, client: name, handler: handler))
      return id
    }
    return StoreSubscription { [store] in
      store.state.withLock { $0.observers.removeAll { $0.id == id } }
    }
  }

  func observeReconnection(_ handler: @escaping @Sendable () -> Void) -> StoreSubscription {
    let id = store.state.withLock { state in
      let id = state.makeID()
      state.reconnectionObservers.append(
        MemoryStore.Observer(id: id, client: name, handler: handler)
      )
      return id
    }
    return StoreSubscription { [store] in
      store.state.withLock { $0.reconnectionObservers.removeAll { $0.id == id } }
    }
  }
}

extension Instant {
  fileprivate static func - (instant: Instant, duration: Duration) -> Instant {
    instant + (.zero - duration)
  }
}
