// A gateway or a submitter on a store in memory, in virtual time, for tests of single decisions.

import Bluetooth
import Fleet
import Signals

/// A submitter, its requests to the store, and its reports.
final class SubmitterOnStore: Sendable {
  private struct State {
    var machine: Submitter
    var requests: [StoreRequest] = []
    var ends: [JobID: EndRecord] = [:]
  }

  private let loop: VirtualTimeLoop
  private let store: any JobStore
  private let state: Guarded<State>

  init(_ loop: VirtualTimeLoop, _ store: some JobStore) {
    self.loop = loop
    self.store = store
    let machine = Submitter(name: "desk", incarnation: "d1", settings: FleetSettings())
    state = Guarded(State(machine: machine))
  }

  var requests: [StoreRequest] { state.withLock { $0.requests } }

  func end(of job: JobID) -> EndRecord? { state.withLock { $0.ends[job] } }

  func handle(_ event: Submitter.Event) {
    let (actions, next) = state.withLock { state in
      (state.machine.handle(event, at: loop.now), state.machine.next)
    }
    for action in actions {
      switch action {
      case .perform(let id, let request):
        state.withLock { $0.requests.append(request) }
        store.perform(request, within: .seconds(2)) { [self] answer in
          handle(.answered(id, answer))
        }
      case .ended(let job, let end): state.withLock { $0.ends[job] = end }
      case .follow, .queued: break
      }
    }
    guard let next else { return }
    loop.at(next) { [self] in
      if state.withLock({ $0.machine.next }) == next { handle(.woken) }
    }
  }

  /// Lets virtual time pass.
  func wait(_ time: Duration) throws {
    let until = loop.now + time
    loop.at(until) {}
    try loop.drive { [loop] in loop.now >= until }
  }
}

/// A gateway and its actions.
final class GatewayOnStore: Sendable {
  private struct State {
    var machine: Gateway
    var actions: [Gateway.Action] = []
  }

  private let loop: VirtualTimeLoop
  private let store: any JobStore
  private let state: Guarded<State>

  init(
    _ loop: VirtualTimeLoop, _ store: some JobStore, format: Int = StoredValue.version,
    journal: [JournalEntry] = []
  ) {
    self.loop = loop
    self.store = store
    let machine = Gateway(
      name: "hall", incarnation: "h1", format: format, settings: FleetSettings(),
      journal: journal, at: .start
    )
    state = Guarded(State(machine: machine))
  }

  /// The chain that runs.
  var chain: Gateway.ChainID? { chains.last }

  /// The chains that have begun.
  var chains: [Gateway.ChainID] {
    state.withLock { state in
      state.actions.compactMap { if case .run(let chain, _) = $0 { chain } else { nil } }
    }
  }

  /// Its requests to the store.
  var requests: [StoreRequest] {
    state.withLock { state in
      state.actions.compactMap { if case .perform(_, let request) = $0 { request } else { nil } }
    }
  }

  /// Its actions, except requests to the store.
  var actions: [Gateway.Action] {
    state.withLock { state in
      state.actions.filter { if case .perform = $0 { false } else { true } }
    }
  }

  func handle(_ event: Gateway.Event) {
    let (actions, next) = state.withLock { state in
      let actions = state.machine.handle(event, at: loop.now)
      state.actions += actions
      return (actions, state.machine.next)
    }
    for case .perform(let id, let request) in actions {
      store.perform(request, within: .seconds(2)) { [self] answer in handle(.answered(id, answer)) }
    }
    guard let next else { return }
    loop.at(next) { [self] in
      if state.withLock({ $0.machine.next }) == next { handle(.woken) }
    }
  }
}
