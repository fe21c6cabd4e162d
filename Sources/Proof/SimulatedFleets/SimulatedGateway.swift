// A gateway process: its state machine, its connection to the store, its chains, and the guard that
// disconnects when the process is stopped or killed.

import Bluetooth
import Fleet
import Signals

/// A gateway, across restarts of its process.
final class SimulatedGateway: Sendable {
  /// A running chain.
  struct Run {
    /// Distinguishes this run from an earlier one of the same claim.
    let number: Int
    let chain: Gateway.ChainID
    let job: FleetJob
    let operations: [Character]
    var step = 0
    var isStopping = false
    var isBusy = false
    var events: EventChunking
  }

  struct State {
    var machine: Gateway
    var process = 1
    var isAlive = true
    var isPaused = false
    var pauses = 0
    /// Start of the current period without interruption.
    var runsSince = Duration.zero
    /// Callbacks that arrived while the process was stopped.
    var deferred: [@Sendable () -> Void] = []
    var runs: [String: Run] = [:]
    var runCount = 0
    var journal: [String: JournalEntry] = [:]
    /// Journaled event chunks, by claim.
    var chunks: [String: [EventChunk]] = [:]
    var isDiskFull = false
    /// The store that the journal belongs to.
    var store: String
    var subscriptions: [BluetoothAddress: StoreSubscription] = [:]
    var generator: SeededGenerator
  }

  /// Delay between a drain request and the restart.
  static let maintenance = Duration.seconds(30)

  let number: Int
  let fleet: FleetRun
  let store: any JobStore
  let clock: HostClock
  private let settings: FleetSettings
  let state: Guarded<State>

  var name: String { "gateway-\(number)" }

  init(_ number: Int, _ fleet: FleetRun, _ store: some JobStore) {
    self.number = number
    self.fleet = fleet
    self.store = store
    clock = HostClock(on: fleet.loop, rate: fleet.world.rates[number])
    settings = fleet.world.settings
    state = Guarded(
      State(
        machine: Gateway(
          name: "gateway-\(number)", incarnation: "g\(number)p1",
          capabilities: fleet.world.entries[number].capabilities,
          format: fleet.world.entries[number].format, settings: settings, at: .start
        ),
        store: store.identity,
        generator: SeededGenerator(seed: fleet.world.seed, name: "gateway \(number)")
      )
    )
  }

  var isAtRest: Bool { state.withLock { $0.runs.isEmpty && $0.machine.running == 0 } }

  /// True if the gateway has run without interruption since that instant.
  func hasRun(since: Duration) -> Bool {
    state.withLock { $0.isAlive && !$0.isPaused && $0.runsSince <= since }
  }

  // MARK: The process

  /// Wraps `body`: while the process is stopped it is deferred, and after its death dropped.
  private func inProcess(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let process = state.withLock { $0.process }
    return { [self] in
      let isNow = state.withLock { state in
        guard state.isAlive, state.process == process else { return false }
        if state.isPaused { state.deferred.append(body) }
        return !state.isPaused
      }
      if isNow { body() }
    }
  }

  func handle(_ event: Gateway.Event) {
    let now = clock.now
    let actions = state.withLock { $0.machine.handle(event, at: now) }
    var unwritten: [Gateway.ChainID] = []
    for action in actions { perform(action, &unwritten) }
    for chain in unwritten { handle(.journalFailed(chain)) }
    clock.wake(at: state.withLock { $0.machine.next }) { [self] in
      inProcess { [self] in handle(.woken) }()
    }
  }

  /// - Parameter unwritten: Chains with an entry that could not be journaled.
  private func perform(_ action: Gateway.Action, _ unwritten: inout [Gateway.ChainID]) {
    switch action {
    case .perform(let id, let request):
      fleet.rules.withLock { $0.sent(request, by: name, at: clock.now) }
      let answered = Guarded<StoreAnswer>(.unknown)
      let handler = inProcess { [self] in handle(.answered(id, answered.withLock { $0 })) }
      store.perform(request, within: settings.requestLimit) { answer in
        answered.withLock { $0 = answer }
        handler()
      }
    case .subscribe(let address):
      let handler = inProcess { [self] in handle(.announced(address)) }
      let subscription = store.subscribe(.one(.announcement(of: address))) { _, _ in handler() }
      state.withLock { $0.subscriptions[address] = subscription }
    case .unsubscribe(let address):
      state.withLock { $0.subscriptions.removeValue(forKey: address) }?.cancel()
    case .run(let chain, let job):
      fleet.note("\(name) runs \(job.id) as \(chain)")
      fleet.rules.withLock { $0.began(chain, job.id, gateway: number, at: fleet.elapsed) }
      let operations = Array(job.values["operations"] ?? "")
      state.withLock { state in
        state.runCount += 1
        state.runs[chain.nonce] = Run(
          number: state.runCount, chain: chain, job: job, operations: operations,
          events: EventChunking(nonce: chain.nonce, after: state.chunks[chain.nonce] ?? [])
        )
      }
      fleet.loop.post(inProcess { [self] in next(chain) })
    case .permit(let chain, let step):
      guard !unwritten.contains(chain) else { return }
      fleet.rules.withLock { $0.permitted(chain, step: step, at: clock.now) }
      send(chain, step)
    case .refuse(let chain, _):
      state.withLock { $0.runs[chain.nonce]?.isStopping = true }
      end(chain, .stopped)
    case .stop(let chain, let reason):
      fleet.note("\(name) stops \(chain): \(reason)")
      let isBusy = state.withLock { state in
        state.runs[chain.nonce]?.isStopping = true
        return state.runs[chain.nonce]?.isBusy ?? true
      }
      if !isBusy { return end(chain, .stopped) }
      // The reply of a pending operation is ignored; the disconnect takes a moment.
      let time = state.withLock { Duration.milliseconds($0.generator.number(50...1000)) }
      let number = run(chain)?.number
      fleet.loop.after(
        time, inProcess { [self] in if run(chain)?.number == number { end(chain, .stopped) } }
      )
    case .journal(let entry):
      guard !state.withLock({ $0.isDiskFull }) else {
        unwritten.append(entry.chain)
        return
      }
      state.withLock { $0.journal[entry.nonce] = entry }
      fleet.rules.withLock { $0.journaled(entry) }
    case .forget(let chain):
      state.withLock { $0.journal[chain.nonce] = nil }
    case .ended(let job, let end):
      fleet.note("\(name): \(job) ended: \(end.map { "\($0.state)" } ?? "by another member")")
    case .drained:
      fleet.note("\(name) is drained")
    }
  }

  // MARK: Chains

  func run(_ chain: Gateway.ChainID) -> Run? { state.withLock { $0.runs[chain.nonce] } }

  /// Requests permission for the next operation, or ends the chain.
  private func next(_ chain: Gateway.ChainID) {
    guard let run = run(chain) else { return }
    if run.isStopping { return end(chain, .stopped) }
    if run.step > run.operations.count { return end(chain, .ok) }
    let operation = run.step == 0 ? "r" : run.operations[run.step - 1]
    if operation == "." { return wait(run) }
    handle(.operationWanted(chain, step: run.step, isIdempotent: operation == "r"))
  }

  /// Runs a step without an operation: waits for part of a lease.
  private func wait(_ run: Run) {
    let rest = inProcess { [self] in
      guard self.run(run.chain)?.number == run.number else { return }
      state.withLock { $0.runs[run.chain.nonce]?.step = run.step + 1 }
      next(run.chain)
    }
    fleet.loop.after(settings.lease * 0.3, rest)
  }

  /// Sends a permitted operation. The process may be stopped just before it is sent.
  private func send(_ chain: Gateway.ChainID, _ step: Int) {
    let (delay, latency, pauses) = state.withLock { state in
      state.runs[chain.nonce]?.isBusy = true
      let delay = Duration.microseconds(state.generator.number(10...2000))
      let latency = Duration.milliseconds(state.generator.number(20...900))
      return (delay, latency * fleet.world.slowness, state.pauses)
    }
    let number = run(chain)?.number
    let sending = inProcess { [self] in
      guard let run = run(chain), run.number == number else { return }
      let wasStopped = state.withLock { $0.pauses } != pauses
      if run.isStopping, !wasStopped { return end(chain, .stopped) }
      let answer = operate(run, step, wasStopped: wasStopped)
      fleet.loop.after(
        latency,
        inProcess { [self] in
          if self.run(chain)?.number == number { answered(chain, step, answer) }
        }
      )
    }
    fleet.loop.after(delay, sending)
  }

  private func operate(_ run: Run, _ step: Int, wasStopped: Bool) -> FleetDevice.Answer {
    let holder = FleetDevice.Holder(gateway: number, nonce: run.chain.nonce)
    let isIdempotent = step == 0 || run.operations[step - 1] == "r"
    let answer = fleet.withDevice(run.chain.address) { device in
      if step == 0 { return device.connect(holder) }
      let operation = FleetDevice.Operation(
        job: run.job.id, nonce: run.chain.nonce, step: step, isIdempotent: isIdempotent
      )
      return device.perform(operation, by: holder)
    }
    fleet.note("\(name) \(run.chain) step \(step): \(answer)")
    switch answer {
    case .done:
      fleet.rules.withLock {
        $0.operated(
          run.chain, step: step, isIdempotent: isIdempotent, wasStopped: wasStopped,
          at: fleet.elapsed
        )
      }
    case .failed, .held: break
    }
    return answer
  }

  private func answered(_ chain: Gateway.ChainID, _ step: Int, _ answer: FleetDevice.Answer) {
    handle(.operationEnded(chain, step: step))
    report(chain, "{\"step\":\(step),\"wallClock\":\(clock.wallClock / .milliseconds(1))}")
    state.withLock {
      $0.runs[chain.nonce]?.isBusy = false
      $0.runs[chain.nonce]?.step = step + 1
    }
    switch answer {
    case .done: next(chain)
    case .failed: end(chain, .failed(step: step))
    case .held: end(chain, .held)
    }
  }

  /// Disconnects, and reports the end of the chain.
  private func end(_ chain: Gateway.ChainID, _ outcome: ChainOutcome) {
    flush(chain)
    guard state.withLock({ $0.runs.removeValue(forKey: chain.nonce) }) != nil else { return }
    let holder = FleetDevice.Holder(gateway: number, nonce: chain.nonce)
    fleet.withDevice(chain.address) { $0.disconnect(holder) }
    fleet.note("\(name) \(chain) ended: \(outcome)")
    fleet.rules.withLock { $0.ended(chain) }
    fleet.loop.post(inProcess { [self] in handle(.chainEnded(chain, outcome)) })
  }

  // MARK: Disturbances

  /// Reports the devices in range.
  func observe() {
    let body = inProcess { [self] in
      var report = SightingReport(gateway: name, sightings: [])
      for address in fleet.devices(inRangeOf: number) {
        let rssi = -40 - Int((address.number * 7 + UInt64(number) * 13) % 50)
        var sighting = Sighting(address: address, rssi: rssi)
        (sighting.name, sighting.isIdentity) = fleet.world.advertised(by: address)
        report.sightings.append(sighting)
        handle(.observed(address, rssi: rssi))
      }
      let request = StoreRequest.publish(.sightings(of: name), .sightings(report))
      store.perform(request, within: settings.requestLimit) { _ in }
    }
    body()
  }

  func kill(downFor time: Duration) {
    guard state.withLock({ $0.isAlive }) else { return }
    fleet.note("\(name) is killed")
    clock.cancel()
    state.withLock { state in
      state.isAlive = false
      state.isPaused = false
      state.process += 1
      state.deferred = []
      state.runs = [:]
      for subscription in state.subscriptions.values { subscription.cancel() }
      state.subscriptions = [:]
    }
    fleet.rules.withLock { $0.killed(gateway: number) }
    // The guard disconnects the links of the dead process.
    fleet.loop.after(.milliseconds(300)) { [self] in fleet.disconnectAll(of: number) }
    fleet.loop.after(max(time, .milliseconds(400))) { [self] in restart() }
  }

  private func restart() {
    let now = clock.now
    state.withLock { state in
      state.isAlive = true
      state.runsSince = fleet.elapsed
      state.machine = Gateway(
        name: name, incarnation: "g\(number)p\(state.process)",
        capabilities: fleet.world.entries[number].capabilities,
        format: fleet.world.entries[number].format, settings: settings,
        journal: state.journalEntries, at: now
      )
    }
    fleet.note("\(name) is started again")
    meetStore()
    handle(.woken)
    observe()
  }

  /// Learns that the store was emptied.
  func observeStore() -> StoreSubscription {
    store.observeReplacement { [self] in inProcess { [self] in meetStore() }() }
  }

  /// Compares the store with the one that the journal belongs to.
  private func meetStore() {
    let current = store.identity
    guard state.withLock({ $0.store != current }) else { return }
    state.withLock { $0.store = current }
    fleet.note("\(name) meets another store")
    handle(.storeReplaced)
    writeEntry()
  }

  /// Stores the entry of this gateway again, until it is there.
  private func writeEntry() {
    let entry = StoredValue.gateway(fleet.world.entries[number])
    store.perform(.create(.gateway(name), entry), within: settings.requestLimit) { [self] answer in
      switch answer {
      case .applied, .refused: break
      case .unknown, .unavailable, .unreadable, .entries, .published:
        fleet.loop.after(settings.retryAfter, inProcess { [self] in writeEntry() })
      }
    }
  }

  func pause(for time: Duration, guarded: Bool) {
    guard state.withLock({ $0.isAlive && !$0.isPaused }) else { return }
    fleet.note("\(name) is stopped, \(guarded ? "its guard runs" : "with its host")")
    let process = state.withLock { state in
      state.isPaused = true
      state.pauses += 1
      return state.process
    }
    fleet.rules.withLock { $0.paused(gateway: number, true, at: fleet.elapsed) }
    if guarded {
      // The watchdog kills a process that stays silent for a third of the lease.
      fleet.loop.after(settings.lease / 3) { [self] in
        if state.withLock({ $0.isPaused && $0.process == process }) { kill(downFor: time) }
      }
    }
    fleet.loop.after(time) { [self] in
      if state.withLock({ $0.isPaused && $0.process == process }) { resume() }
    }
  }

  private func resume() {
    let deferred = state.withLock { state in
      state.isPaused = false
      state.runsSince = fleet.elapsed
      defer { state.deferred = [] }
      return state.deferred
    }
    fleet.note("\(name) continues")
    fleet.rules.withLock { $0.paused(gateway: number, false, at: fleet.elapsed) }
    // Requests of what follows must not reach a store that the process has not met.
    meetStore()
    for body in deferred { fleet.loop.post(inProcess(body)) }
  }

  func drain() {
    let body = inProcess { [self] in handle(.drain(within: .seconds(10))) }
    body()
    // A drained gateway restarts, as after maintenance.
    fleet.loop.after(Self.maintenance) { [self] in kill(downFor: .seconds(1)) }
  }
}

// MARK: - Events

extension SimulatedGateway {
  /// Reports one event of a chain.
  func report(_ chain: Gateway.ChainID, _ event: String) {
    let (full, due) = state.withLock { state in
      let full = try? state.runs[chain.nonce]?.events.add(event, at: clock.now)
      return (full ?? nil, state.runs[chain.nonce]?.events.next)
    }
    if let full { keep(full, of: chain) }
    guard let due else { return }
    fleet.loop.after(
      due - clock.now,
      inProcess { [self] in
        let now = max(due, clock.now)
        if let chunk = state.withLock({ $0.runs[chain.nonce]?.events.due(at: now) }) {
          keep(chunk, of: chain)
        }
      }
    )
  }

  /// Sends the buffered events before the chain ends.
  func flush(_ chain: Gateway.ChainID) {
    if let chunk = state.withLock({ $0.runs[chain.nonce]?.events.flush() }) {
      keep(chunk, of: chain)
    }
  }

  private func keep(_ chunk: EventChunk, of chain: Gateway.ChainID) {
    guard let job = run(chain)?.job.id else { return }
    let digest = state.withLock { state -> EventDigest? in
      let kept = state.chunks[chain.nonce] ?? []
      // A chunk without its predecessor is useless.
      guard !state.isDiskFull, kept.count == chunk.number else { return nil }
      state.chunks[chain.nonce] = kept + [chunk]
      return EventDigest(of: kept + [chunk])
    }
    guard let digest else { return }
    send(chunk, of: job)
    handle(.reported(chain, digest))
  }

  private func send(_ chunk: EventChunk, of job: JobID) {
    let request = StoreRequest.publish(.events(of: job), .events(chunk))
    store.perform(request, within: fleet.world.settings.requestLimit) { _ in }
  }

  /// Answers followers that request missing events.
  func answerFollowers() -> StoreSubscription {
    store.subscribe(.one(.eventsWanted(of: name))) { [self] _, value in
      guard case .eventsWanted(let wanted) = value else { return }
      let answer = inProcess { [self] in
        let kept = state.withLock { $0.chunks[wanted.nonce] ?? [] }
        for chunk in kept.dropFirst(wanted.number).prefix(EventRequest.mostChunks) {
          send(chunk, of: wanted.job)
        }
      }
      answer()
    }
  }

  /// The journaled events of a claim's run.
  func events(of nonce: String) -> [String] {
    state.withLock { $0.chunks[nonce] ?? [] }.flatMap(\.events)
  }

  /// Fills the disk of the journal for a while.
  func fillDisk(for time: Duration) {
    fleet.note("the disk of \(name) is full")
    state.withLock { $0.isDiskFull = true }
    fleet.loop.after(time) { [self] in
      state.withLock { $0.isDiskFull = false }
      inProcess { [self] in handle(.journalWritable(true)) }()
    }
  }
}

extension SimulatedGateway.State {
  /// The journal entries that a restarted process finds.
  fileprivate var journalEntries: [JournalEntry] {
    journal.sorted { $0.key < $1.key }.map { nonce, entry in
      var entry = entry
      entry.events = EventDigest(of: chunks[nonce] ?? [])
      return entry
    }
  }
}
