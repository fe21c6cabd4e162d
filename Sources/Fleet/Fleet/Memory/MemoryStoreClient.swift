// The port of one member to a store in memory.

import Signals

/// A client of a ``MemoryStore``.
struct MemoryStoreClient: JobStore {
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
        MemoryStore.Watching(
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
        MemoryStore.Subscribing(id: id, client: name, handler: handler)
      )
      return id
    }
    return StoreSubscription { [store] in
      store.state.withLock { $0.subscribers[pattern]?.removeAll { $0.id == id } }
    }
  }
}
