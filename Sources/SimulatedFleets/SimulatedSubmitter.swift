// A process that submits jobs and follows them.

import Fleet
import Signals

/// A submitter of a simulated fleet.
final class SimulatedSubmitter: Sendable {
  private struct State {
    var machine: Submitter
    var isAlive = true
    var timer: LoopTimer?
    var wakesAt: Instant?
    var subscriptions: [JobID: StoreSubscription] = [:]
  }

  let number: Int
  private let fleet: FleetRun
  private let store: any JobStore
  private let rate: Double
  private let state: Guarded<State>

  var name: String { "submitter-\(number)" }

  init(_ number: Int, _ fleet: FleetRun, _ store: some JobStore) {
    self.number = number
    self.fleet = fleet
    self.store = store
    rate = fleet.world.rates[fleet.world.gateways + number]
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

  private var now: Instant { Instant(sinceStart: fleet.loop.now.sinceStart * rate) }

  var isDone: Bool { state.withLock { !$0.isAlive || $0.machine.isDone } }

  func handle(_ event: Submitter.Event) {
    guard state.withLock({ $0.isAlive }) else { return }
    let now = now
    let actions = state.withLock { $0.machine.handle(event, at: now) }
    for action in actions { perform(action) }
    let next = state.withLock { $0.machine.next }
    guard state.withLock({ $0.wakesAt != next || $0.timer == nil }) else { return }
    state.withLock { $0.timer }?.cancel()
    let timer = next.map { next in
      fleet.loop.after((next - now) * (1 / rate) + .microseconds(1)) { [self] in
        state.withLock { $0.wakesAt = nil }
        handle(.woken)
      }
    }
    state.withLock {
      $0.timer = timer
      $0.wakesAt = next
    }
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
    state.withLock { state in
      state.isAlive = false
      state.timer?.cancel()
      for subscription in state.subscriptions.values { subscription.cancel() }
    }
  }
}
