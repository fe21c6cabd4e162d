// A gateway under way: the state machine, its connection to the store, its chains, its radio.
//
// Thin: what is decided is decided by Gateway. Everything happens on the loop. What it observes is in
// GatewayService+Radio.swift.

import BlueZ
import Bluetooth
import Documents
import Fleet
import Jobs
import Program
import Signals

/// A gateway of a fleet.
final class GatewayService: Sendable {
  /// A device as the radio observed it last.
  struct Seen {
    let sighting: Sighting
    let at: Instant
  }

  struct State {
    var machine: Gateway
    var runs: [Gateway.ChainID: GatewayRun] = [:]
    var subscriptions: [BluetoothAddress: StoreSubscription] = [:]
    var followers: StoreSubscription?
    var seen: [BluetoothAddress: Seen] = [:]
    var isJournalWritable = true
    var isDraining = false
    var isDrained = false
    var tasks: [Task<Void, any Error>] = []
    var failure: String?
  }

  /// How often a journal that could not be written is tried again.
  private static let journalPause = Duration.seconds(10)
  /// How long the journal may have entries that are forgotten.
  private static let settlePause = Duration.seconds(1)
  /// How often old events are deleted.
  private static let prunePause = Duration.seconds(600)

  let name: String
  let parts: GatewayParts
  private let file: GatewayFile
  let settings: FleetSettings
  private let drainLimit: Duration
  private let alarm: BootAlarm
  let presence: GatewayPresence
  let state: Guarded<State>
  var loop: Loop { parts.loop }

  init(
    _ name: String, _ parts: GatewayParts, _ file: GatewayFile, connections: Int,
    capabilities: [String], drainLimit: Duration
  ) {
    self.name = name
    self.parts = parts
    self.file = file
    self.drainLimit = drainLimit
    alarm = BootAlarm(on: parts.loop)
    var settings = FleetSettings()
    settings.connections = connections
    self.settings = settings
    let journal = file.entries.map { entry in
      var entry = entry
      entry.events = parts.events.digest(of: entry.nonce)
      return entry
    }
    let machine = Gateway(
      name: name, incarnation: BootClock.incarnation, capabilities: capabilities,
      settings: settings, journal: journal, at: BootClock.now
    )
    state = Guarded(State(machine: machine))
    var entry = GatewayEntry()
    entry.capabilities = capabilities
    presence = GatewayPresence(name, entry, settings, in: parts.store, on: parts.loop)
  }

  /// Whether nothing runs any more, and nothing will.
  var isOver: Bool { state.withLock { $0.isDrained || $0.failure != nil } }

  /// Why it cannot go on.
  var failure: String? { state.withLock { $0.failure } }

  /// Joins the fleet: begins to scan, to report and to claim.
  func begin() {
    handle(.woken)
    presence.begin(
      GatewayPresence.Handlers(report: { [self] in report() }, drain: { [self] in drain() })
    )
    noteBonds()
    parts.world.observeBonds { [weak self] in self?.noteBonds() }
    repeatedly(every: settings.beatEvery) { [self] in parts.linkGuard?.beat() }
    repeatedly(every: Self.journalPause) { [self] in
      if !state.withLock({ $0.isJournalWritable }) { file.rewrite(note) }
    }
    repeatedly(every: Self.settlePause) { [self] in file.settle(note) }
    repeatedly(every: Self.prunePause) { [self] in
      parts.events.prune(at: loop.wallClockAtStart + loop.now.sinceStart)
    }
    keep(loop.task { [self] in try await scan() })
    let followers = parts.store.subscribe(.one(.eventsWanted(of: name))) { [weak self] _, value in
      if case .eventsWanted(let wanted) = value { self?.send(wanted) }
    }
    state.withLock { $0.followers = followers }
  }

  /// A follower has missed events: they are sent again from the disk.
  private func send(_ wanted: EventRequest) {
    let most = EventRequest.mostChunks
    for chunk in parts.events.chunks(of: wanted.nonce, from: wanted.number, most: most) {
      let request = StoreRequest.publish(.events(of: wanted.job), .events(chunk))
      parts.store.perform(request, within: settings.requestLimit) { _ in }
    }
  }

  /// Claims nothing new, and ends what runs within the limit.
  func drain() {
    let isFirst = state.withLock { state in
      defer { state.isDraining = true }
      return !state.isDraining
    }
    guard isFirst else { return }
    _ = presence.change { $0.isDraining = true }
    StandardError.notice(
      "gateway \(name) claims nothing new; its chains end within \(drainLimit.written)"
    )
    handle(.drain(within: drainLimit))
  }

  /// The connection to the server has ended for good.
  func fail(_ reason: String) {
    state.withLock { $0.failure = $0.failure ?? "the connection to the fleet ended: \(reason)" }
    // Whatever still runs is ended: nothing can be renewed.
    let runs = state.withLock { Array($0.runs.values) }
    for run in runs { run.stop(.leaseEnding) }
  }

  /// Leaves the fleet: its chains have ended.
  func end() async {
    alarm.cancel()
    let (tasks, subscriptions) = state.withLock { state in
      (state.tasks, Array(state.subscriptions.values) + [state.followers].compactMap(\.self))
    }
    for task in tasks { task.cancel() }
    for task in tasks { _ = try? await task.value }
    for subscription in subscriptions { subscription.cancel() }
    // A chain that was stopped disconnects, with limits of its own.
    let patience = loop.now + .seconds(30)
    while loop.now < patience, state.withLock({ !$0.runs.isEmpty }) {
      try? await loop.sleep(for: .milliseconds(20))
    }
    await presence.end(isReachable: failure == nil)
    await file.finish()
  }

  func keep(_ task: Task<Void, any Error>) { state.withLock { $0.tasks.append(task) } }

  private func repeatedly(
    every pause: Duration, _ body: @escaping @Sendable () async throws -> Void
  ) {
    keep(loop.repeatedly(every: pause, body))
  }

  // MARK: The machine

  func handle(_ event: Gateway.Event) {
    let now = BootClock.now
    if case .journalFailed = event { note(false) }
    perform(state.withLock { $0.machine.handle(event, at: now) }[...])
    alarm.wake(at: state.withLock { $0.machine.next }) { [weak self] in self?.handle(.woken) }
  }

  private func perform(_ actions: ArraySlice<Gateway.Action>) {
    for (index, action) in zip(actions.indices, actions) {
      guard case .journal(let entry) = action else {
        perform(action)
        continue
      }
      // What follows from the entry waits until it is on the disk; other devices do not wait.
      let rest = actions[(index + 1)...]
      let following = rest.filter { $0.follows(entry) }
      file.keep(entry) { [weak self] in self?.kept(entry, $0, following) }
      return perform(rest.filter { !$0.follows(entry) }[...])
    }
  }

  /// An entry is on the disk, or cannot be written.
  private func kept(_ entry: JournalEntry, _ isWritten: Bool, _ following: [Gateway.Action]) {
    if isWritten { note(true) }
    // Without the journal a later process could not report what may have happened.
    perform(following.filter { isWritten || !$0.isPermission }[...])
    if !isWritten { handle(.journalFailed(entry.chain)) }
  }

  private func perform(_ action: Gateway.Action) {
    switch action {
    case .perform(let id, let request):
      parts.store.perform(request, within: settings.requestLimit) { [weak self] answer in
        self?.handle(.answered(id, answer))
      }
    case .subscribe(let address):
      let key = StoreKey.announcement(of: address)
      let subscription = parts.store.subscribe(.one(key)) { [weak self] _, _ in
        self?.handle(.announced(address))
      }
      state.withLock { $0.subscriptions[address] = subscription }
    case .unsubscribe(let address):
      state.withLock { $0.subscriptions.removeValue(forKey: address) }?.cancel()
    case .run(let chain, let job):
      StandardError.notice("job \(job.id) begins on \(job.device)")
      let run = GatewayRun(chain, job, parts) { [weak self] event in self?.handle(event) }
      state.withLock { $0.runs[chain] = run }
      run.begin { [weak self, weak run] in
        // A chain that is tried again has another run under its claim.
        self?.state.withLock { if $0.runs[chain] === run { $0.runs[chain] = nil } }
      }
    case .permit(let chain, let step):
      state.withLock { $0.runs[chain] }?.decide(step, isPermitted: true)
    case .refuse(let chain, let step):
      state.withLock { $0.runs[chain] }?.decide(step, isPermitted: false)
    case .stop(let chain, let reason):
      state.withLock { $0.runs[chain] }?.stop(reason)
    case .journal(let entry):
      perform([.journal(entry)])
    case .forget(let chain):
      file.forget(nonce: chain.nonce)
    case .ended(let job, let end):
      let state = end.map { "\($0.state.rawValue)" } ?? "at another gateway"
      StandardError.notice("job \(job) ended: \(state)")
    case .drained:
      state.withLock { $0.isDrained = true }
    }
  }

  /// Notes whether the journal could be written. A full disk stops claiming.
  private func note(_ isWritten: Bool) {
    let isNews = state.withLock { state in
      defer { state.isJournalWritable = isWritten }
      return state.isJournalWritable != isWritten
    }
    guard isNews else { return }
    if isWritten {
      StandardError.notice("the gateway's journal can be written again")
    } else {
      StandardError.failure("the gateway's journal cannot be written: nothing new is claimed")
    }
    loop.post { [weak self] in self?.handle(.journalWritable(isWritten)) }
  }
}

extension Gateway.Action {
  /// Whether it may be done only when the entry is on the disk.
  fileprivate func follows(_ entry: JournalEntry) -> Bool {
    switch self {
    case .run(let chain, _), .permit(let chain, _), .refuse(let chain, _), .stop(let chain, _),
      .forget(let chain):
      chain == entry.chain
    case .journal(let other): other.chain == entry.chain
    case .perform(_, .append): true
    case .perform, .subscribe, .unsubscribe, .ended, .drained: false
    }
  }

  fileprivate var isPermission: Bool { if case .permit = self { true } else { false } }
}
