// Lists, watches and subscriptions of a store on NATS.
//
// Lists and watches are consumers of a stream: the last value of each key first, then each change.
// What is too much for the loop is left out, and the watch begins again.

#if Fleet
  import CNATS
  public import Fleet
  import Jobs
  import Signals

  /// A watch, from its first consumer to its last.
  private final class Watching: Sendable {
    struct State {
      var subscription: NATSSubscription?
      var hasEnded = false
      var isInitialReported = false
      /// Counts the consumers; messages of an earlier one do not count.
      var round = 0
      var mustRestart = false
    }

    let id: UInt64
    let stream: StreamLayout.Stream
    let filter: String
    let handler: @Sendable (WatchEvent) -> Void
    let state = Guarded(State())

    var isInitialReported: Bool { state.withLock { $0.isInitialReported } }

    init(
      _ id: UInt64, _ stream: StreamLayout.Stream, _ filter: String,
      _ handler: @escaping @Sendable (WatchEvent) -> Void
    ) {
      self.id = id
      self.stream = stream
      self.filter = filter
      self.handler = handler
    }
  }

  extension NATSJobStore {
    /// How long after a failure a watch is tried again.
    private static let watchPause = Duration.seconds(1)

    private func activate() -> UInt64 {
      state.withLock { state in
        state.nextID += 1
        state.active.insert(state.nextID)
        return state.nextID
      }
    }

    func isActive(_ id: UInt64) -> Bool { state.withLock { $0.active.contains(id) } }

    /// Has something delivered on the loop.
    ///
    /// - Returns: False when too much waits already.
    private func deliver(_ body: @escaping @Sendable () -> Void) -> Bool {
      let hasRoom = state.withLock { state in
        guard state.deliveries < Self.mostDeliveries else { return false }
        state.deliveries += 1
        return true
      }
      guard hasRoom else { return false }
      loop.post { [state] in
        state.withLock { $0.deliveries -= 1 }
        body()
      }
      return true
    }

    // MARK: Subscriptions

    public func subscribe(
      _ pattern: KeyPattern, _ handler: @escaping @Sendable (StoreKey, StoredValue) -> Void
    ) -> StoreSubscription {
      let id = activate()
      let made = Guarded<NATSSubscription?>(nil)
      let subject = layout.subject(pattern)
      worker.post { [weak self, connection, layout] in
        let subscription = NATSSubscription(subject, on: connection) { [weak self] message in
          guard let self, let key = layout.key(of: message.subject), pattern.matches(key),
            !message.isRemoval, let value = value(of: message.body, at: key)
          else { return }
          // What is too much is lost: deliveries may be.
          _ = deliver { [weak self] in if self?.isActive(id) == true { handler(key, value) } }
        }
        guard let subscription else {
          self?.news(.problem("the server does not let this user subscribe to \(subject)"))
          return
        }
        made.withLock { $0 = subscription }
      }
      return StoreSubscription { [state, worker] in
        guard state.withLock({ $0.active.remove(id) }) != nil else { return }
        worker.post { made.withLock { $0 }?.end() }
      }
    }

    // MARK: Watches

    public func watch(
      _ pattern: KeyPattern, _ handler: @escaping @Sendable (WatchEvent) -> Void
    ) -> StoreSubscription {
      let id = activate()
      let kind: StoreKey.Kind =
        switch pattern {
        case .one(let key): key.kind
        case .all(let kind): kind
        }
      guard let stream = layout.stream(kind) else {
        // What is only published is not stored.
        loop.post { [weak self] in
          if self?.isActive(id) == true { handler(.initialStateEnded) }
        }
        return StoreSubscription { [state] in _ = state.withLock { $0.active.remove(id) } }
      }
      let watching = Watching(id, stream, layout.subject(pattern), handler)
      start(watching)
      return StoreSubscription { [state, worker] in
        guard state.withLock({ $0.active.remove(id) }) != nil else { return }
        worker.post { watching.state.withLock { $0.subscription }?.end() }
      }
    }

    private func start(_ watching: Watching) {
      worker.post { [weak self, connection] in
        guard let self, isActive(watching.id) else { return }
        let (round, earlier) = watching.state.withLock { state in
          state.round += 1
          state.mustRestart = false
          defer { state.subscription = nil }
          return (state.round, state.subscription)
        }
        earlier?.end()
        var reason = ""
        let subscription = NATSSubscription(
          stream: watching.stream.name, filter: watching.filter,
          isComplete: watching.stream.perKey < 0, on: connection, failure: &reason
        ) { [weak self] message in self?.take(message, round, watching) }
        guard let subscription else { return restart(watching, after: Self.watchPause) }
        watching.state.withLock { $0.subscription = subscription }
        guard !watching.isInitialReported else { return }
        switch subscription.isEmpty {
        case true?: endInitialState(watching)
        case false?: break
        // Where nothing is stored no message ends the initial state: it is asked again.
        case nil:
          loop.after(Self.watchPause) { [weak self] in
            if !watching.isInitialReported { self?.start(watching) }
          }
        }
      }
    }

    private func restart(_ watching: Watching, after pause: Duration) {
      loop.after(pause) { [weak self] in self?.start(watching) }
    }

    /// Takes a message of a watch. Called on a thread of libnats.
    private func take(_ message: ReceivedMessage, _ round: Int, _ watching: Watching) {
      let counts = watching.state.withLock { $0.round == round && !$0.mustRestart }
      guard counts, let position = message.position, let key = layout.key(of: message.subject)
      else { return }
      let event: WatchEvent?
      if message.isRemoval {
        remember(removal: position.sequence)
        // Who has not seen the entry does not learn that it was removed.
        event = watching.isInitialReported ? .removed(key, position.sequence) : nil
      } else {
        event = value(of: message.body, at: key).map {
          .entry(StoreEntry(key: key, value: $0, revision: position.sequence))
        }
      }
      if let event {
        let isTaken = deliver { [weak self] in
          if self?.isActive(watching.id) == true { watching.handler(event) }
        }
        if !isTaken {
          watching.state.withLock { $0.mustRestart = true }
          return restart(watching, after: Self.watchPause)
        }
      }
      if position.pending == 0 { endInitialState(watching) }
    }

    private func endInitialState(_ watching: Watching) {
      let isFirst = watching.state.withLock { state in
        defer { state.isInitialReported = true }
        return !state.isInitialReported
      }
      guard isFirst else { return }
      loop.post { [weak self] in
        if self?.isActive(watching.id) == true { watching.handler(.initialStateEnded) }
      }
    }

    // MARK: Lists

    /// Reads all keys of a kind: a watch that ends with the initial state.
    func readAll(_ kind: StoreKey.Kind, _ id: UInt64) {
      guard layout.stream(kind) != nil else { return give(unstored: id) }
      let found = Guarded<[StoreKey: StoreEntry]>([:])
      let watching = watch(.all(kind)) { [weak self] event in
        switch event {
        case .entry(let entry): found.withLock { $0[entry.key] = entry }
        case .removed(let key, _): found.withLock { $0[key] = nil }
        case .initialStateEnded:
          let entries = found.withLock { $0.values.sorted { $0.key < $1.key } }
          self?.give(id, .entries(entries))
        }
      }
      let isWaiting = state.withLock { state in
        state.waiting[id]?.stop = { watching.cancel() }
        return state.waiting[id] != nil
      }
      if !isWaiting { watching.cancel() }
    }
  }
#endif
