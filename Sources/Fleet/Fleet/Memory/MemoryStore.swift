// A store in memory, on a loop: with faults from a seed it can do everything that a store over a
// network does.
//
// It serves simulations and tests. The contract that it keeps is in Tests/Fleet/FleetTests.

public import Signals

/// A store in memory, with one client for each member of a fleet.
///
/// The faults are drawn from the seed; cuts and restarts are asked for. A client whose sending is cut
/// loses half of its requests, and the others arrive late, once it is healed.
public final class MemoryStore: Sendable {
  /// One direction of a connection.
  public enum Direction: CaseIterable, Sendable {
    /// From the client to the store.
    case sending
    /// From the store to the client.
    case receiving
  }

  struct Watching {
    let id: Int
    let client: String
    let pattern: KeyPattern
    var seen: Revision
    let handler: @Sendable (WatchEvent) -> Void
  }

  struct Subscribing {
    let id: Int
    let client: String
    let handler: @Sendable (StoreKey, StoredValue) -> Void
  }

  /// A request that waits until its way to the store is open again.
  struct Held {
    let id: Int
    let client: String
    let arrive: @Sendable () -> Void
  }

  /// A request without its answer.
  struct Open {
    let answer: @Sendable (StoreAnswer) -> Void
    /// Ends the wait.
    var timer: LoopTimer?
  }

  struct State {
    var contents = StoreContents()
    var generator: SeededGenerator
    var faults: StoreFaults
    var isRunning = true
    var cuts: [String: Set<Direction>] = [:]
    var held: [Held] = []
    var open: [Int: Open] = [:]
    var watches: [Watching] = []
    var subscribers: [KeyPattern: [Subscribing]] = [:]
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

  /// A store without entries.
  ///
  /// - Parameters:
  ///   - loop: Where everything happens.
  ///   - seed: Where the faults are drawn from.
  ///   - faults: What goes wrong, and how often.
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

  /// The client of a member. Clients of one name share their connection.
  public func client(_ name: String) -> some JobStore { MemoryStoreClient(name: name, store: self) }

  /// The entries of a pattern, as they are.
  public func entries(_ pattern: KeyPattern) -> [StoreEntry] {
    state.withLock { $0.contents.entries(pattern, at: loop.now) }
  }

  /// How many deliveries were made to watches and subscribers.
  public var deliveries: Int { state.withLock { $0.deliveries } }

  /// Changes what goes wrong from now on.
  public func setFaults(_ faults: StoreFaults) { state.withLock { $0.faults = faults } }

  /// Lets go of all who watch, listen or wait: nothing is delivered any more.
  package func close() {
    // They may refer to this store: the copy that is returned ends outside its lock.
    _ = state.withLock { state in
      defer {
        (state.watches, state.subscribers) = ([], [:])
        (state.held, state.open) = ([], [:])
      }
      return state
    }
  }

  // MARK: Foreign members

  /// Keeps a text under a key, as a member of another version writes it.
  package func put(_ text: String, at key: StoreKey) {
    state.withLock { _ = $0.contents.write(key, text, at: loop.now) }
    for watch in state.withLock({ $0.watches.map(\.id) }) { update(watch) }
  }

  // MARK: Disturbances

  /// Messages of a client no longer pass in one direction.
  public func cut(_ client: String, _ direction: Direction) {
    state.withLock { _ = $0.cuts[client, default: []].insert(direction) }
  }

  /// All messages of a client pass again. Requests that were held arrive now: late.
  public func heal(_ client: String) {
    let wasCut = state.withLock { $0.cuts.removeValue(forKey: client) != nil }
    if wasCut, state.withLock({ $0.isRunning }) { reconnect(client) }
  }

  /// The store stops. What it holds is kept.
  public func stop() {
    state.withLock { $0.isRunning = false }
  }

  /// The store runs again.
  public func start() {
    state.withLock { $0.isRunning = true }
    reconnect(nil)
  }

  /// A client, or all, can reach the store again.
  private func reconnect(_ client: String?) {
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
  }

  // MARK: Requests

  func perform(
    _ request: StoreRequest, of client: String, within limit: Duration,
    _ answer: @escaping @Sendable (StoreAnswer) -> Void
  ) {
    let passage = state.withLock { $0.faults.passage(&$0.generator) }
    let id = state.withLock { state in
      let id = state.makeID()
      state.open[id] = Open(answer: answer)
      return id
    }
    let timer = loop.after(limit) { [self] in give(request.withoutReply, to: id) }
    state.withLock { $0.open[id]?.timer = timer }
    let arrive: @Sendable () -> Void = { [self] in
      let made = carryOut(request, age: passage.age)
      guard let delay = passage.reply else { return }
      loop.after(delay) { [self] in
        if state.withLock({ $0.isOpen(client, .receiving) }) { give(made, to: id) }
      }
    }
    guard let delay = passage.request else { return }
    loop.after(delay) { [self] in
      let isOpen = state.withLock { state in
        if state.isOpen(client, .sending) { return true }
        // Half of what is sent on a connection that is cut arrives once it is open again.
        if state.generator.fires(500) {
          let id = state.makeID()
          state.held.append(Held(id: id, client: client, arrive: arrive))
        }
        return false
      }
      if isOpen { arrive() }
    }
  }

  /// Answers a request, unless it has been answered.
  private func give(_ answer: StoreAnswer, to id: Int) {
    guard let open = state.withLock({ $0.open.removeValue(forKey: id) }) else { return }
    open.timer?.cancel()
    open.answer(answer)
  }

  /// Carries out what has arrived.
  private func carryOut(_ request: StoreRequest, age: Duration) -> StoreAnswer {
    let now = loop.now
    switch request {
    case .create, .update, .remove, .append: return change(request, at: now)
    case .list(let pattern):
      return .entries(state.withLock { $0.contents.entries(pattern, at: now - age) })
    case .last(let key):
      return .entries(state.withLock { $0.contents.entries(.one(key), at: now - age) })
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
      let delay = state.withLock { $0.faults.short(&$0.generator) }
      loop.after(delay) { [self] in update(watch) }
    }
    return answer
  }

  // MARK: Deliveries

  private func deliver(_ sent: StoredValue, to key: StoreKey) {
    // As others read it.
    guard let value = try? StoredValue(sent.text, at: key) else { return }
    let subscribers = state.withLock { state in
      (state.subscribers[.one(key)] ?? []) + (state.subscribers[.all(key.kind)] ?? [])
    }
    for subscriber in subscribers {
      for delay in state.withLock({ $0.faults.deliveries(&$0.generator) }) {
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

  /// Reports to a watch what it has not seen.
  func update(_ id: Int) {
    let (handler, events) = state.withLock { state -> (Watching?, [WatchEvent]) in
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

extension Instant {
  fileprivate static func - (instant: Instant, duration: Duration) -> Instant {
    instant + (.zero - duration)
  }
}
