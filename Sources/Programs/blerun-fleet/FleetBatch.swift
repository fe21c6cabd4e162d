// A batch on a fleet: submits and follows its jobs, and reports them as the events of a batch.
//
// Submitter makes the decisions of the protocol. How the end of a job is reported as the end of a run is in
// JobEnding.swift.

import Bluetooth
import Fleet
import Jobs
import Program
import Signals

/// Runs a batch on a fleet.
final class FleetBatch: BatchRunning {
  /// The options of the batch for the fleet.
  struct Options: Sendable {
    var pin: String?
    var prefer: String?
    var needs: [String] = []
    var patience = Duration.seconds(600)
    var isIdempotent = false
    /// Whether gateways read the environment variables that chains name, so that the store has no values of them.
    var readsEnvironmentAtGateway = false
    /// Ends when all jobs are queued, without following them.
    var detaches = false
  }

  /// The progress of a device.
  private enum Phase: CaseIterable { case waiting, resolving, submitted, queued, ended }

  /// A device of the batch and its job.
  private struct Work {
    let device: BatchDevice
    let chain: PortableChain
    let job: JobID
    var phase = Phase.waiting
    /// When the search for it began.
    var since = Instant.start
    /// The events so far, by claim; each is a line of JSON.
    var events: [String: [String]] = [:]
    var following: JobFollowing?
    var subscription: StoreSubscription?

    /// Adds a subscription, which is cancelled with the others when the job has ended.
    mutating func add(_ source: StoreSubscription) {
      let others = subscription
      subscription = StoreSubscription {
        others?.cancel()
        source.cancel()
      }
    }
  }

  private struct State {
    var machine: Submitter
    var works: [JobID: Work] = [:]
    var order: [JobID] = []
    /// The number of jobs in `order` that have begun.
    var begunCount = 0
    /// The number of devices in each phase.
    private var phases: [Phase: Int] = [:]
    /// The searches for devices that the batch knows by name.
    var searches: [JobID: NameSearch] = [:]
    var counts = BatchCounts()
    var cause: (any Error)?
    var isStopped = false
    /// Whether the batch ends without waiting for its jobs.
    var isAbandoned = false
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

    /// Adds a report to the searches for names.
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

    /// Returns how many devices are in any of some phases.
    func count(_ wanted: Phase...) -> Int { wanted.reduce(0) { $0 + (phases[$1] ?? 0) } }
  }

  /// The most jobs that have begun and not ended; the others are submitted as these end.
  private static let window = 500
  /// How long a cancelled batch waits until its jobs have ended: longer than a claim holds.
  private static let endingLimit = Duration.seconds(40)
  /// How long reports are collected before a name counts as unambiguous: longer than the interval of
  /// the reports, and than the delay of one on a busy host.
  private static let listening = Duration.seconds(8)

  private let batch: Batch
  private let world: World
  private let connection: FleetConnection
  private let options: Options
  /// The run that is resumed; nil for a new batch.
  private let past: PreviousRound?
  /// The name of the batch in the fleet, and the prefix of its jobs.
  private let name: String
  private let receivers: BatchReceivers
  private let alarm: MemberAlarm
  private let state: Guarded<State>
  private var loop: Loop { world.loop }

  /// Creates a batch of devices and their chains.
  ///
  /// - Parameter resumption: The run that it resumes. A job has the number of ends of its device in its name, so
  ///   that one that was submitted and has not ended is followed, and not submitted twice.
  init(
    _ batch: Batch, _ devices: [(BatchDevice, PortableChain)], in world: World,
    _ connection: FleetConnection, _ options: Options, resuming resumption: BatchResumption?,
    _ receivers: BatchReceivers
  ) {
    past = resumption?.past
    self.batch = batch
    self.world = world
    alarm = MemberAlarm(on: BootClock(loop: world.loop))
    self.connection = connection
    self.options = options
    self.receivers = receivers
    let text = batch.lines.joined(separator: "\n")
    let identity = RunIdentity(seed: world.identitySeed, text: text)
    let name = "b" + (resumption?.identity ?? identity.description).prefix(10)
    self.name = name
    var state = State(
      machine: Submitter(name: name, incarnation: BootClock.incarnation, settings: FleetSettings()),
      identity: identity
    )
    state.counts = resumption?.past.counts ?? BatchCounts()
    let left = resumption.flatMap { try? batch.left(after: $0.past) }
    let labels: Set<String>? =
      if case .listed(let left)? = left?.devices { Set(left.map(\.label)) } else { nil }
    for (index, (device, chain)) in devices.enumerated() {
      guard labels?.contains(device.label) ?? true else { continue }
      let again = resumption?.chains[device.label].map { "-r\($0)" } ?? ""
      guard let job = JobID("\(name)-\(index + 1)\(again)") else { continue }
      state.add(Work(device: device, chain: chain, job: job))
    }
    self.state = Guarded(state)
  }

  /// The command that follows the batch, for messages.
  private var following: String { "blerun fleet follow \(name) --fleet \(connection.url)" }

  var interruptionText: (what: String, leaving: String?) {
    ("cancelling the jobs of the batch", "the jobs run on; follow them with: \(following)")
  }

  /// Cancels the jobs. They end when their gateways have stopped them.
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
    // The gateways end cancelled jobs at once; one that was lost, when its claim has ended.
    loop.after(Self.endingLimit) { [weak self] in
      guard let self, state.withLock({ $0.done != nil }) else { return }
      StandardError.failure("the jobs have not ended, and run on; follow them with: \(following)")
      abandon(cause)
    }
  }

  /// Ends the batch without waiting for its jobs, which run on.
  func abandon(_ cause: any Error) {
    let done = state.withLock { state -> Completion<Void>? in
      if state.cause == nil { state.cause = cause }
      (state.isStopped, state.isAbandoned) = (true, true)
      defer { state.done = nil }
      return state.done
    }
    done?.succeed(())
  }

  // MARK: The run

  func run(most: Int?) async -> ExitStatus {
    let identity = state.withLock { $0.identity }
    let release: @Sendable () -> Void
    do {
      release = try await receivers.acquireAdapter(identity, 1)
    } catch {
      return finish(RunFailure(error)).exitStatus
    }
    defer { release() }
    StandardError.notice("batch \(name) on fleet \(connection.fleet); follow it with: \(following)")
    state.withLock { $0.begun = loop.now }
    let devices = state.withLock { state in state.order.compactMap { state.works[$0]?.device } }
    if !options.detaches {
      let all = min(devices.count, Self.window)
      emit(
        .started(
          BatchStart(
            name: batch.name, devices: devices.map(\.reported), concurrency: all, past: past))
      )
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
    let replaced = connection.store.observeReplacement { [weak self] in
      self?.handle(.storeReplaced)
    }
    defer { replaced.cancel() }
    await untilDone()
    if options.detaches, !state.withLock({ $0.isAbandoned }) {
      StandardError.notice("the jobs are queued; follow them with: \(following)")
      return .ok
    }
    return finish(nil).exitStatus
  }

  /// Waits until every job has ended; with `detaches`, until every job is queued.
  private func untilDone() async {
    let ticking = loop.task { [self] in
      while true {
        try await loop.sleep(for: .seconds(1))
        advance()
      }
    }
    defer { ticking.cancel() }
    try? await wait(on: loop, operation: "the end of the batch") { (done: Completion<Void>) in
      let isAbandoned = state.withLock { state in
        if !state.isAbandoned { state.done = done }
        return state.isAbandoned
      }
      if isAbandoned { done.succeed(()) }
      advance()
    }
    // The submitter may hold claims, with which it ended jobs. It has to release them.
    let patience = loop.now + .seconds(30)
    while !options.detaches, loop.now < patience,
      !state.withLock({ $0.machine.isDone || $0.isAbandoned })
    {
      try? await loop.sleep(for: .milliseconds(20))
    }
    alarm.cancel()
  }

  /// Submits as many jobs as the window allows, and ends the wait when no job is left.
  private func advance() {
    for job in state.withLock({ nextJobs(&$0) }) { submit(job) }
    decideNames()
    let done = state.withLock { state -> Completion<Void>? in
      let isDone =
        state.count(.submitted) == 0 && (options.detaches || state.count(.queued) == 0)
        && (state.isStopped || state.count(.waiting, .resolving) == 0)
      guard isDone else { return nil }
      defer { state.done = nil }
      return state.done
    }
    done?.succeed(())
  }

  /// Moves the jobs that begin now to the phase `resolving`, and returns them.
  private func nextJobs(_ state: inout State) -> [JobID] {
    guard !state.isStopped else { return [] }
    // With `detaches`, a queued job is not followed and does not count.
    let busy = state.count(.resolving, .submitted) + (options.detaches ? 0 : state.count(.queued))
    let next = Array(state.order[state.begunCount...].prefix(max(0, Self.window - busy)))
    state.begunCount += next.count
    for job in next {
      state.move(job, to: .resolving)
      state.works[job]?.since = loop.now
      if case .name(let name, _)? = state.works[job]?.device.target {
        state.searches[job] = NameSearch(
          of: name, listening: Self.listening, deadline: options.patience, at: loop.now
        )
      }
    }
    return next
  }

  /// Submits a job if its device has an address; a search finds the address of a name.
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
      deadline: max(FleetBounds.deadline.lowerBound, options.patience - waited)
    )
    job.values = work.chain.values
    if options.readsEnvironmentAtGateway {
      job.values = job.values.filter { !work.chain.fromEnvironment.contains($0.key) }
    }
    let placement = work.device.placement
    (job.pin, job.prefer) = (options.pin ?? placement.pin, options.prefer ?? placement.prefer)
    job.needs = options.needs
    job.rerun = options.isIdempotent ? .idempotent : .never
    let following = following(id)
    let subscription = connection.store.subscribe(.one(.events(of: id))) { _, value in
      following.receive(value)
    }
    state.withLock { state in
      state.move(id, to: .submitted)
      state.works[id]?.following = following
      state.works[id]?.subscription = subscription
    }
    handle(.submit(job, chain: work.chain.text))
  }

  /// Returns the follower of a job, which collects its events and reports its end.
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

  /// Submits or ends the jobs whose names have been decided.
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

  /// Stops following a queued job.
  private func detach(_ job: JobID) {
    state.withLock { $0.works[job]?.subscription }?.cancel()
    handle(.left(job))
  }

  // MARK: The machine

  private func handle(_ event: Submitter.Event) {
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
        following?.receive(value)
        if case .record(let record) = value { self?.handle(.record(job, record)) }
      }
      state.withLock { $0.works[job]?.add(records) }
    case .queued(let job):
      state.withLock { $0.move(job, to: .queued) }
      loop.post { [self] in
        if options.detaches { detach(job) }
        advance()
      }
    case .ended(let job, let end):
      loop.post { [self] in ended(job, end) }
    }
  }

  // MARK: The ends of jobs

  /// Handles the end of a job. The end is reported when all of the job's events have arrived.
  private func ended(_ job: JobID, _ end: EndRecord) {
    guard let work = state.withLock({ $0.works[job] }), work.phase != .ended else { return }
    guard let following = work.following else { return report(job, end, missing: 0) }
    following.handle(.record(.ended(end)))
    guard state.withLock({ $0.works[job]?.phase }) != .ended else { return }
    // Read the events from the store; those missing there are requested from the gateway.
    let stored = connection.store.watch(.one(.events(of: job))) { event in
      if case .entry(let entry) = event { following.receive(entry.value) }
    }
    state.withLock { $0.works[job]?.add(stored) }
  }

  private func report(_ job: JobID, _ end: EndRecord, missing: Int) {
    guard let work = state.withLock({ $0.works[job] }), work.phase != .ended else { return }
    work.subscription?.cancel()
    if missing > 0 {
      StandardError.notice("\(work.device.label): \(counted(missing, "event")) of job \(job) lost")
    }
    let events = events(of: work, end)
    for event in events { receivers.onRunEvent(event) }
    var ending: RunEnding?
    if case .run(.finished(let last))? = events.last?.change { ending = last }
    let (counts, stops) = state.withLock { state in
      state.move(job, to: .ended)
      state.works[job]?.events = [:]
      state.works[job]?.following = nil
      if let ending { state.counts.count(ending) }
      var stops = false
      if case .stop(let most) = batch.onFailure {
        stops = state.counts.failed - (past?.counts.failed ?? 0) >= most
      }
      return (state.counts, stops && !state.isStopped)
    }
    if let ending { emit(.deviceEnded(work.device.reported, ending, counts)) }
    if stops { stopOthers() }
    advance()
  }

  /// Cancels the jobs that no gateway has begun, after too many failures.
  private func stopOthers() {
    let queued = state.withLock { state -> [JobID] in
      state.isStopped = true
      return state.order.filter { job in
        guard let work = state.works[job] else { return false }
        return work.phase != .ended && work.phase != .waiting && work.events.isEmpty
      }
    }
    for job in queued { handle(.cancel(job)) }
  }

  /// Returns the events of the run that ended the job; the last one is the end that the fleet recorded.
  private func events(of work: Work, _ end: EndRecord) -> [RunEvent] {
    let label = work.device.label
    var events = JobEvents(work.events[end.nonce] ?? []).events.map { event in
      RunEvent(
        run: event.run, device: label, deviceName: work.device.name, attempt: event.attempt,
        offset: event.offset, wallClock: event.wallClock, change: event.change
      )
    }
    var ran: RunEnding?
    if case .run(.finished(let last))? = events.last?.change {
      ran = last
      events.removeLast()
    }
    let seed = world.identitySeed
    let identity = events.first?.run ?? RunIdentity(seed: seed, plan: work.device.plan)
    let last = events.last
    func add(_ change: RunEvent.Change) {
      events.append(
        RunEvent(
          run: identity, device: label, deviceName: work.device.name, attempt: last?.attempt ?? 1,
          offset: last?.offset ?? .zero,
          wallClock: last?.wallClock ?? loop.wallClockAtStart + loop.now.sinceStart, change: change
        )
      )
    }
    if events.isEmpty {
      let plan = work.device.plan
      let start = RunStart(chain: plan.name, steps: plan.writtenStepCount, seed: seed)
      add(.run(.started(start)))
    }
    let ending = end.ending(ran, within: options.patience, after: events)
    add(.run(.finished(ending.counting(steps: events))))
    return events
  }

  // MARK: The batch

  private func emit(_ change: BatchEvent.Change) {
    let now = loop.now
    let (identity, begun) = state.withLock { ($0.identity, $0.begun) }
    receivers.onEvent(
      BatchEvent(
        batch: identity, round: 1, offset: begun.map { now - $0 } ?? .zero,
        wallClock: loop.wallClockAtStart + now.sinceStart, change: change
      )
    )
  }

  /// Reports the end of the batch.
  ///
  /// - Parameter failure: The reason why it could not begin; nil if it did.
  private func finish(_ failure: RunFailure?) -> BatchEnding {
    let (counts, notRun, cause) = state.withLock { state in
      let left = state.order.compactMap { state.works[$0] }.filter { $0.phase != .ended }
      return (state.counts, left.map(\.device.label), state.cause)
    }
    let isCut = cause != nil && (counts.cancelled > 0 || !notRun.isEmpty)
    let ending = BatchEnding(
      counts, notRun: notRun, failure: failure ?? (isCut ? cause.map { Self.failure($0) } : nil),
      isCancelled: isCut
    )
    emit(.finished(ending))
    return ending
  }

  /// Returns the reason why the batch itself ended early.
  private static func failure(_ cause: any Error) -> RunFailure {
    let found = RunFailure(cause)
    return RunFailure(
      code: found.code, class: found.class, what: "running the batch", why: found.why,
      hint: found.hint, signal: found.signal
    )
  }
}
