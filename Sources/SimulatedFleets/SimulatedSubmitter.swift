// A process that submits jobs and follows them.

import Fleet
import Signals

/// A submitter of a simulated fleet.
final class SimulatedSubmitter: Sendable {
  private struct State {
    var machine: Submitter
    var isAlive = true
    var subscriptions: [JobID: StoreSubscription] = [:]
  }

  let number: Int
  private let fleet: FleetRun
  private let store: any JobStore
  private let clock: HostClock
  private let state: Guarded<State>

  var name: String { "submitter-\(number)" }

  init(_ number: Int, _ fleet: FleetRun, _ store: some JobStore) {
    self.number = number
    self.fleet = fleet
    self.store = store
    clock = HostClock(on: fleet.loop, rate: fleet.world.rates[fleet.world.gateways + number])
    state = Guarded(
      State(
        machine: Submitter(
          name: "submitter-\(number)",
          incarnation: "s\(number)",
          settings: fleet.world.settings
        )
      )
    )
  }

  var isDone: Bool { state.withLock { !$0.isAlive || $0.machine.isDone } }

  func handle(_ event: Submitter.Event) {
    guard state.withLock({ $0.isAlive }) else { return }
    let now = clock.now
    let actions = state.withLock { $0.machine.handle(event, at: now) }
    for action in actions { perform(action) }
    clock.wake(at: state.withLock { $0.machine.next }) { [self] in handle(.woken) }
  }

  private func perform(_ action: Submitter.Action) {
    switch action {
    case .perform(let id, let request):
      store.perform(request, within: fleet.world.settings.requestLimit) { [self] answer in
        handle(.answered(id, answer))
      }
    case .follow(let job):
      let subscription = store.subscribe(.one(.result(of: job))) { [self] _, value in
        if case .record(let record) = value { handle(.record(job, record)) }
      }
      state.withLock { $0.subscriptions[job] = subscription }
    case .queued(let job):
      fleet.note("\(name): \(job) is queued")
      fleet.rules.withLock { $0.queued(job) }
    case .ended(let job, let end):
      fleet.note("\(name): \(job) ended: \(end.state) \(end.detail)")
      state.withLock { $0.subscriptions.removeValue(forKey: job) }?.cancel()
    }
  }

  /// The submitter is killed for good: what it has queued ends all the same.
  func kill() {
    fleet.note("\(name) is killed")
    clock.cancel()
    state.withLock { state in
      state.isAlive = false
      for subscription in state.subscriptions.values { subscription.cancel() }
    }
  }
}
