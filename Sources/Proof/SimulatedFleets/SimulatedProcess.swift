// A process of a simulated host: it can be stopped, continued and killed, and so can everything that runs in it.

import Fleet
import Signals

/// A process from its start to its end.
final class SimulatedProcess: MemberClock {
  private struct State {
    var isAlive = true
    var isPaused = false
    var pauses = 0
    /// The start of the current period without interruption.
    var runsSince: Duration
    /// The callbacks that arrived while the process was stopped.
    var deferred: [@Sendable () -> Void] = []
  }

  private let loop: Loop
  private let host: HostClock
  private let state: Guarded<State>

  init(on loop: Loop, _ host: HostClock) {
    self.loop = loop
    self.host = host
    state = Guarded(State(runsSince: loop.now.sinceStart))
  }

  var isAlive: Bool { state.withLock { $0.isAlive } }
  var isPaused: Bool { state.withLock { $0.isAlive && $0.isPaused } }
  /// How often it was stopped.
  var pauses: Int { state.withLock { $0.pauses } }

  /// Whether it has run without interruption since that instant.
  func hasRun(since: Duration) -> Bool {
    state.withLock { $0.isAlive && !$0.isPaused && $0.runsSince <= since }
  }

  /// Calls the body now; when the process continues, if it is stopped; never, if it has ended.
  func perform(_ body: @escaping @Sendable () -> Void) {
    let isNow = state.withLock { state in
      guard state.isAlive else { return false }
      if state.isPaused { state.deferred.append(body) }
      return !state.isPaused
    }
    if isNow { body() }
  }

  func pause() {
    state.withLock { state in
      state.isPaused = true
      state.pauses += 1
    }
  }

  /// Continues the process, and calls the deferred callbacks after `first`.
  func resume(_ first: @escaping @Sendable () -> Void) {
    let deferred = state.withLock { state in
      state.isPaused = false
      state.runsSince = loop.now.sinceStart
      defer { state.deferred = [] }
      return state.deferred
    }
    first()
    for body in deferred { post(body) }
  }

  func kill() { state.withLock { ($0.isAlive, $0.deferred) = (false, []) } }

  // MARK: MemberClock

  var now: Instant { host.now }

  func post(_ body: @escaping @Sendable () -> Void) {
    loop.post { [self] in perform(body) }
  }

  func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) -> LoopTimer {
    host.after(delay) { [self] in perform(body) }
  }
}

/// A process's connection to the store: what arrives while the process is stopped waits.
struct ProcessStore: JobStore {
  let store: any JobStore
  let process: SimulatedProcess
  /// Called with each request before it is sent.
  let sending: @Sendable (StoreRequest) -> Void

  var identity: String { store.identity }

  func perform(
    _ request: StoreRequest, within limit: Duration,
    _ answer: @escaping @Sendable (StoreAnswer) -> Void
  ) {
    sending(request)
    store.perform(request, within: limit) { [process] found in process.perform { answer(found) } }
  }

  func watch(
    _ pattern: KeyPattern, _ handler: @escaping @Sendable (WatchEvent) -> Void
  ) -> StoreSubscription {
    store.watch(pattern) { [process] event in process.perform { handler(event) } }
  }

  func subscribe(
    _ pattern: KeyPattern, _ handler: @escaping @Sendable (StoreKey, StoredValue) -> Void
  ) -> StoreSubscription {
    store.subscribe(pattern) { [process] key, value in process.perform { handler(key, value) } }
  }

  func observeReplacement(_ handler: @escaping @Sendable () -> Void) -> StoreSubscription {
    store.observeReplacement { [process] in process.perform(handler) }
  }

  func observeReconnection(_ handler: @escaping @Sendable () -> Void) -> StoreSubscription {
    store.observeReconnection { [process] in process.perform(handler) }
  }
}
