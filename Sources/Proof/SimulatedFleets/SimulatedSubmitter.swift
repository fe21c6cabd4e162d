// A submitter process: it submits jobs, and follows their state and events.

import Fleet
import Signals

final class SimulatedSubmitter: Sendable {
  private struct State {
    var machine: Submitter
    var isAlive = true
    var subscriptions: [JobID: StoreSubscription] = [:]
    var searches: [JobID: NameSearch] = [:]
    var followings: [JobID: EventFollowing] = [:]
    /// When the end of each followed job was first observed.
    var ends: [JobID: Duration] = [:]
    /// When each following is checked again.
    var wakes: [JobID: Instant] = [:]
    /// Delivered events, by claim.
    var events: [String: [String]] = [:]
  }

  let number: Int
  private let fleet: FleetRun
  private let store: any JobStore
  private let clock: HostClock
  private let alarm: MemberAlarm
  private let state: Guarded<State>

  var name: String { "submitter-\(number)" }

  init(_ number: Int, _ fleet: FleetRun, _ store: some JobStore) {
    self.number = number
    self.fleet = fleet
    self.store = store
    clock = HostClock(on: fleet.loop, rate: fleet.world.rates[fleet.world.gateways + number])
    alarm = MemberAlarm(on: clock)
    state = Guarded(
      State(
        machine: Submitter(
          name: "submitter-\(number)", incarnation: "s\(number)", settings: fleet.world.settings
        )
      )
    )
  }

  var isDone: Bool {
    state.withLock {
      !$0.isAlive || $0.machine.isDone && $0.followings.isEmpty && $0.searches.isEmpty
    }
  }

  /// Subscribes to the gateways' reports.
  func listen() -> StoreSubscription {
    store.subscribe(.all(.sightings)) { [self] _, value in
      guard case .sightings(let report) = value else { return }
      state.withLock { state in
        for job in state.searches.keys { state.searches[job]?.add(report) }
      }
      handle(.sightings(report))
    }
  }

  /// Observes replacements of the store.
  func observeStore() -> StoreSubscription {
    store.observeReplacement { [self] in
      fleet.note("\(name) meets another store")
      handle(.storeReplaced)
    }
  }

  func handle(_ event: Submitter.Event) {
    guard state.withLock({ $0.isAlive }) else { return }
    let now = clock.now
    let actions = state.withLock { $0.machine.handle(event, at: now) }
    for action in actions { perform(action) }
    alarm.wake(at: state.withLock { $0.machine.next }) { [self] in handle(.woken) }
  }

  private func perform(_ action: Submitter.Action) {
    switch action {
    case .perform(let id, let request):
      fleet.checkForm(of: request)
      store.perform(request, within: fleet.world.settings.requestLimit) { [self] answer in
        handle(.answered(id, answer))
      }
    case .follow(let job):
      follow(job)
    case .queued(let job):
      fleet.note("\(name): \(job) is queued")
      fleet.rules.withLock { $0.queued(job) }
    case .ended(let job, let end):
      fleet.note("\(name): \(job) ended: \(end.state) \(end.detail)")
      follow(job, .record(.ended(end)))
    }
  }

  // MARK: Names

  /// Submits a job. A job for a name waits until the name is resolved to a device.
  func submit(_ draft: FleetWorld.JobDraft) {
    guard let name = draft.name else {
      fleet.rules.withLock { $0.submitted(draft) }
      return handle(.submit(draft.job, chain: draft.operations))
    }
    let search = NameSearch(
      of: name, listening: FleetRun.observationInterval + FleetRun.observationInterval,
      deadline: draft.job.deadline,
      at: clock.now
    )
    state.withLock { $0.searches[draft.job.id] = search }
    resolve(draft)
  }

  private func resolve(_ draft: FleetWorld.JobDraft) {
    let now = clock.now
    let id = draft.job.id
    guard let search = state.withLock({ $0.isAlive ? $0.searches[id] : nil }) else { return }
    let progress = search.progress(at: now)
    switch progress {
    case .waits(let until):
      let time = min((until - now) * 1.02, FleetRun.observationInterval) + .milliseconds(1)
      fleet.loop.after(time) { [self] in resolve(draft) }
      return
    case .device(let address):
      fleet.rules.withLock { $0.resolved(draft, address, fleet.world, at: fleet.elapsed) }
      if address == draft.job.device {
        fleet.rules.withLock { $0.submitted(draft) }
        handle(.submit(draft.job, chain: draft.operations))
      }
    case .ended(let state, let detail):
      fleet.note("\(name): \(id) ended: \(state) \(detail)")
      fleet.rules.withLock { $0.unresolved(draft, state, fleet.world, at: fleet.elapsed) }
    }
    state.withLock { $0.searches[id] = nil }
  }

  // MARK: Events

  private func follow(_ job: JobID) {
    let records = store.subscribe(.one(.result(of: job))) { [self] _, value in
      guard case .record(let record) = value else { return }
      follow(job, .record(record))
      handle(.record(job, record))
    }
    let events = store.subscribe(.one(.events(of: job))) { [self] _, value in
      if case .events(let chunk) = value { follow(job, .chunk(chunk)) }
    }
    state.withLock { state in
      var following = EventFollowing(of: job)
      following.omitted = fleet.world.settings.omitted
      state.followings[job] = following
      state.subscriptions[job] = StoreSubscription {
        records.cancel()
        events.cancel()
      }
    }
  }

  private func follow(_ job: JobID, _ event: EventFollowing.Event) {
    let now = clock.now
    let (actions, next) = state.withLock { state in
      if case .record(.ended) = event { state.ends[job] = state.ends[job] ?? fleet.elapsed }
      let actions = state.isAlive ? state.followings[job]?.handle(event, at: now) ?? [] : []
      return (actions, state.followings[job]?.next)
    }
    for action in actions {
      switch action {
      case .deliver(let events, let nonce):
        state.withLock { $0.events[nonce, default: []] += events }
      case .ask(let request, let gateway):
        fleet.note("\(name) asks \(gateway) for the events of \(job) from \(request.number)")
        let ask = StoreRequest.publish(.eventsWanted(of: gateway), .eventsWanted(request))
        store.perform(ask, within: fleet.world.settings.requestLimit) { _ in }
      case .complete(let end, let missing):
        let (events, since) = state.withLock { state in
          state.subscriptions.removeValue(forKey: job)?.cancel()
          state.followings[job] = nil
          return (state.events[end.nonce] ?? [], state.ends[job] ?? .zero)
        }
        fleet.followed(job, end, events, missing: missing, since: since)
      }
    }
    guard let next else { return }
    let isNews = state.withLock { $0.wakes.updateValue(next, forKey: job) != next }
    guard isNews else { return }
    fleet.loop.after((next - now) * 1.02 + .milliseconds(1)) { [self] in follow(job, .woken) }
  }

  /// Cancels its alarm.
  func end() { alarm.cancel() }

  /// Kills the submitter for good. Its queued jobs still end.
  func kill() {
    fleet.note("\(name) is killed")
    end()
    state.withLock { state in
      state.isAlive = false
      for subscription in state.subscriptions.values { subscription.cancel() }
    }
  }
}
