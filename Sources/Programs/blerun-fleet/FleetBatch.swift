// A batch on a fleet: its jobs are submitted and followed, and their events become those of a batch.
//
// Submitter decides what is asked of the store; FleetBatch+Ending.swift what is reported of a job.

import Bluetooth
import Fleet
import Jobs
import Program
import Signals

/// Runs a batch on a fleet.
final class FleetBatch: BatchRunning {
  /// What is wished of the fleet.
  struct Wishes: Sendable {
    var pin: String?
    var prefer: String?
    var needs: [String] = []
    var patience = Duration.seconds(600)
    var isIdempotent = false
    var leaves = false
  }

  /// How far a device is.
  enum Phase: CaseIterable { case waiting, resolving, submitted, queued, ended }

  /// A device of the batch and its job.
  struct Work {
    let device: BatchDevice
    let chain: PortableChain
    let job: JobID
    fileprivate(set) var phase = Phase.waiting
    /// When it was first looked for.
    var since = Instant.start
    /// Its events so far, a line of JSON each, by their claims.
    var events: [String: [String]] = [:]
    var following: JobFollowing?
    var subscription: StoreSubscription?

    /// A further source of its events or records.
    mutating func follows(_ source: StoreSubscription) {
      let others = subscription
      subscription = StoreSubscription {
        others?.cancel()
        source.cancel()
      }
    }
  }

  struct State {
    var machine: Submitter
    var works: [JobID: Work] = [:]
    var order: [JobID] = []
    /// How many of the order have begun.
    var begunCount = 0
    /// How many devices are in each phase.
    private var phases: [Phase: Int] = [:]
    /// The names that are looked for.
    var searches: [JobID: NameSearch] = [:]
    var counts = BatchCounts()
    var cause: (any Error)?
    var isStopped = false
    var begun: Instant?
    var identity: RunIdentity
    var done: Completion<Void>?

    init(machine: Submitter, identity: RunIdentity) {
      (self.machine, self.identity) = (machine, identity)
    }

    mutating func add(_ work: Work) {
      works[work.job] = work
      order.append(work.job)
      phases[work.phase, default: 0] += 1
    }

    /// Looks for names in a report.
    mutating func search(_ report: SightingReport) {
      guard !searches.isEmpty else { return }
      let names = Set(searches.values.map(\.name))
      var report = report
      report.sightings = report.sightings.filter { $0.name.map(names.contains) ?? false }
      for job in searches.keys { searches[job]?.add(report) }
    }

    mutating func move(_ job: JobID, to phase: Phase) {
      guard let old = works[job]?.phase else { return }
      works[job]?.phase = phase
      phases[old, default: 0] -= 1
      phases[phase, default: 0] += 1
    }

    /// How many devices are in some phases.
    func count(_ wanted: Phase...) -> Int { wanted.reduce(0) { $0 + (phases[$1] ?? 0) } }
  }

  /// How many jobs are under way at once; the others are submitted as these end.
  private static let window = 500
  /// How long reports are collected before a name counts as unambiguous: longer than their interval.
  private static let listening = Duration.seconds(6)

  let batch: Batch
  let world: World
  let connection: FleetConnection
  let wishes: Wishes
  /// The name of the batch in the fleet: its jobs begin with it.
  let name: String
  let receivers: BatchReceivers
  private let alarm: BootAlarm
  let state: Guarded<State>
  var loop: Loop { world.loop }

  /// - Parameter chains: Those of the devices, in their order.
  init(
    _ batch: Batch, _ devices: [(BatchDevice, PortableChain)], in world: World,
    _ connection: FleetConnection, _ wishes: Wishes, _ receivers: BatchReceivers
  ) {
    self.batch = batch
    self.world = world
    alarm = BootAlarm(on: world.loop)
    self.connection = connection
    self.wishes = wishes
    self.receivers = receivers
    let text = batch.lines.joined(separator: "\n")
    let identity = RunIdentity(seed: world.identitySeed, text: text)
    let name = "b" + identity.description.prefix(10)
    self.name = name
    var state = State(
      machine: Submitter(name: name, incarnation: BootClock.incarnation, settings: FleetSettings()),
      identity: identity
    )
    for (index, (device, chain)) in devices.enumerated() {
      guard let job = JobID("\(name)-\(index + 1)") else { continue }
      state.add(Work(device: device, chain: chain, job: job))
    }
    self.state = Guarded(state)
  }

  /// How the batch is followed by another command.
  var following: String { "blerun fleet follow \(name) --fleet \(connection.url)" }

  var interruptionText: (what: String, leaving: String?) {
    ("cancelling the jobs of the batch", "the jobs run on; follow them with: \(following)")
  }

  /// Cancels the jobs: a request that their gateways obey.
  func cancel(_ cause: any Error) {
    let submitted = state.withLock { state -> [JobID] in
      if state.cause == nil { state.cause = cause }
      state.isStopped = true
      return state.order.filter { job in
        switch state.works[job]?.phase {
        case .submitted?, .queued?: true
        case .waiting?, .resolving?, .ended?, nil: false
        }
      }
    }
    for job in submitted { handle(.cancel(job)) }
    loop.post { [self] in advance() }
  }

  // MARK: The run

  func run(most: Int?) async -> ExitStatus {
    let identity = state.withLock { $0.identity }
    let giveBack: @Sendable () -> Void
    do {
      giveBack = try await receivers.admission(identity, 1)
    } catch {
      return finish(RunFailure(error)).exitStatus
    }
    defer { giveBack() }
    StandardError.notice("batch \(name) on fleet \(connection.fleet); follow it with: \(following)")
    state.withLock { $0.begun = loop.now }
    let devices = state.withLock { state in state.order.compactMap { state.works[$0]?.device } }
    if !wishes.leaves {
      let all = min(devices.count, Self.window)
      emit(.started(BatchStart(name: batch.name, devices: devices, concurrency: all)))
    }
    let sightings = connection.store.subscribe(.all(.sightings)) { [self] _, value in
      guard case .sightings(let report) = value else { return }
      state.withLock { $0.search(report) }
      handle(.sightings(report))
      advance()
    }
    defer { sightings.cancel() }
    let timer = batch.deadline.map { limit in
      loop.after(limit) { [self] in cancel(TimedOut(operation: "the batch", after: limit)) }
    }
    defer { timer?.cancel() }
    await untilDone()
    if wishes.leaves {
      StandardError.notice("the jobs are queued; follow them with: \(following)")
      return .ok
    }
    return finish(nil).exitStatus
  }

  /// Works until every job has ended, or is queued where nobody waits for the end.
  private func untilDone() async {
    let ticking = loop.task { [self] in
      while true {
        try await loop.sleep(for: .seconds(1))
        advance()
      }
    }
    defer { ticking.cancel() }
    try? await wait(on: loop, operation: "the end of the batch") { (done: Completion<Void>) in
      state.withLock { $0.done = done }
      advance()
    }
    // What the submitter has claimed to end jobs is released.
    let patience = loop.now + .seconds(30)
    while !wishes.leaves, loop.now < patience, !state.withLock({ $0.machine.isDone }) {
      try? await loop.sleep(for: .milliseconds(20))
    }
    alarm.cancel()
  }

  /// Submits what there is room for, and ends the wait when nothing is left.
  func advance() {
    for job in state.withLock({ nextJobs(&$0) }) { submit(job) }
    decideNames()
    let done = state.withLock { state -> Completion<Void>? in
      let isDone =
        state.count(.submitted) == 0 && (wishes.leaves || state.count(.queued) == 0)
        && (state.isStopped || state.count(.waiting, .resolving) == 0)
      guard isDone else { return nil }
      defer { state.done = nil }
      return state.done
    }
    done?.succeed(())
  }

  /// The jobs that begin now.
  private func nextJobs(_ state: inout State) -> [JobID] {
    guard !state.isStopped else { return [] }
    // Whoever leaves follows no job that is queued.
    let busy = state.count(.resolving, .submitted) + (wishes.leaves ? 0 : state.count(.queued))
    let next = Array(state.order[state.begunCount...].prefix(max(0, Self.window - busy)))
    state.begunCount += next.count
    for job in next {
      state.move(job, to: .resolving)
      state.works[job]?.since = loop.now
      if case .name(let name, _)? = state.works[job]?.device.target {
        state.searches[job] = NameSearch(
          of: name, listening: Self.listening, deadline: wishes.patience, at: loop.now
        )
      }
    }
    return next
  }

  /// Submits the job of a device whose address is known.
  private func submit(_ id: JobID) {
    guard case .address(let address)? = state.withLock({ $0.works[id]?.device.target }) else {
      return
    }
    submit(id, to: address)
  }

  private func submit(_ id: JobID, to address: BluetoothAddress) {
    guard let work = state.withLock({ $0.works[id] }) else { return }
    let waited = loop.now - work.since
    var job = FleetJob(
      id: id, device: address, chain: ContentHash.digest(of: work.chain.text), submitter: name,
      deadline: max(FleetBounds.deadline.lowerBound, wishes.patience - waited)
    )
    job.values = work.chain.values
    let placement = work.device.placement
    (job.pin, job.prefer) = (wishes.pin ?? placement.pin, wishes.prefer ?? placement.prefer)
    job.needs = wishes.needs
    job.rerun = wishes.isIdempotent ? .idempotent : .never
    let following = following(id)
    let subscription = connection.store.subscribe(.one(.events(of: id))) { _, value in
      following.take(value)
    }
    state.withLock { state in
      state.move(id, to: .submitted)
      state.works[id]?.following = following
      state.works[id]?.subscription = subscription
    }
    handle(.submit(job, chain: work.chain.text))
  }

  /// Collects the events of a job, and reports it when it has ended and they are there.
  private func following(_ job: JobID) -> JobFollowing {
    let receivers = JobFollowing.Receivers(
      deliver: { [weak self] lines, nonce in
        self?.state.withLock { $0.works[job]?.events[nonce, default: []] += lines }
      },
      complete: { [weak self] end, missing in self?.report(job, end, missing: missing) }
    )
    return JobFollowing(of: job, on: connection, loop, receivers)
  }

  // MARK: Names

  /// Decides what the names mean, as far as that is known by now.
  private func decideNames() {
    let now = loop.now
    let decided = state.withLock { state -> [(JobID, NameSearch.Progress)] in
      guard !state.searches.isEmpty else { return [] }
      return state.order.prefix(state.begunCount).compactMap { job in
        guard let progress = state.searches[job]?.progress(at: now) else { return nil }
        if case .waits = progress { return nil }
        state.searches[job] = nil
        return (job, progress)
      }
    }
    for (job, progress) in decided {
      switch progress {
      case .waits: break
      case .device(let address): submit(job, to: address)
      case .ended(let state, let detail):
        var end = EndRecord(state, owner: name, nonce: name)
        end.detail = detail
        ended(job, end)
      }
    }
  }

  /// A job that is queued is of no interest to whoever leaves.
  private func leave(_ job: JobID) {
    state.withLock { $0.works[job]?.subscription }?.cancel()
    handle(.left(job))
  }

  // MARK: The machine

  func handle(_ event: Submitter.Event) {
    let now = BootClock.now
    for action in state.withLock({ $0.machine.handle(event, at: now) }) { perform(action) }
    alarm.wake(at: state.withLock { $0.machine.next }) { [weak self] in self?.handle(.woken) }
  }

  private func perform(_ action: Submitter.Action) {
    switch action {
    case .perform(let id, let request):
      let limit = FleetSettings().requestLimit
      connection.store.perform(request, within: limit) { [weak self] answer in
        self?.handle(.answered(id, answer))
      }
    case .follow(let job):
      let following = state.withLock { $0.works[job]?.following }
      let records = connection.store.subscribe(.one(.result(of: job))) { [weak self] _, value in
        following?.take(value)
        if case .record(let record) = value { self?.handle(.record(job, record)) }
      }
      state.withLock { $0.works[job]?.follows(records) }
    case .queued(let job):
      state.withLock { $0.move(job, to: .queued) }
      loop.post { [self] in
        if wishes.leaves { leave(job) }
        advance()
      }
    case .ended(let job, let end):
      loop.post { [self] in ended(job, end) }
    }
  }
}
