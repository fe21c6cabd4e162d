// A gateway of a simulated fleet: the shell of `blerun gateway` on a simulated host, whose chains run on simulated
// devices, and the guard that disconnects when the process is stopped or killed.

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
    let sender: EventSender
    var step = 0
    var isStopping = false
    var isBusy = false
  }

  /// The parts that end with the process.
  private struct Life {
    let process: SimulatedProcess
    let store: ProcessStore
    let shell: GatewayShell
    /// The store that the process knows.
    var identity: String
    var subscriptions: [StoreSubscription] = []
  }

  private struct State {
    /// Nil while no process runs.
    var life: Life?
    var processes = 0
    var runs: [String: Run] = [:]
    var runCount = 0
    var generator: SeededGenerator
  }

  /// Delay between a drain request and the restart.
  static let maintenance = Duration.seconds(30)

  let number: Int
  private let fleet: FleetRun
  private let store: any JobStore
  let clock: HostClock
  private let disk: SimulatedDisk
  private let settings: FleetSettings
  private let state: Guarded<State>

  var name: String { "gateway-\(number)" }

  init(_ number: Int, _ fleet: FleetRun, _ store: some JobStore) {
    self.number = number
    self.fleet = fleet
    self.store = store
    clock = HostClock(on: fleet.loop, rate: fleet.world.rates[number])
    settings = fleet.world.settings
    let name = "gateway \(number)"
    disk = SimulatedDisk(seed: fleet.world.seed, name: name) { [fleet] text in
      fleet.journaled(text, by: name)
    }
    state = Guarded(
      State(generator: SeededGenerator(seed: fleet.world.seed, name: name))
    )
  }

  var isAtRest: Bool {
    state.withLock { $0.runs.isEmpty && $0.life.map { $0.shell.running == 0 } ?? false }
  }

  /// True if the gateway has run without interruption since that instant.
  func hasRun(since: Duration) -> Bool {
    state.withLock { $0.life?.process }?.hasRun(since: since) ?? false
  }

  // MARK: The process

  private var process: SimulatedProcess? { state.withLock { $0.life?.process } }

  /// Wraps `body`: while the process is stopped it is deferred, and after its death dropped.
  private func inProcess(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let process = process
    return { process?.perform(body) }
  }

  /// Starts a process, which finds what the earlier ones left on the disk.
  func start() {
    let process = SimulatedProcess(on: fleet.loop, clock)
    let store = ProcessStore(store: store, process: process) { [self] request in
      fleet.checkForm(of: request)
      fleet.rules.withLock { $0.sent(request, by: name, at: clock.now) }
    }
    let journal = disk.journal
    if journal == nil {
      fleet.rules.withLock { $0.addProblem("A journal can be read", name, at: fleet.elapsed) }
    }
    let file = GatewayFile(journal ?? GatewayJournal(), on: disk.journalFile(of: process), process)
    let log = EventLog(disk)
    let entries = file.entries.map { entry in
      var entry = entry
      entry.events = log.digest(of: entry.nonce)
      return entry
    }
    let life = state.withLock { state in
      state.processes += 1
      let machine = Gateway(
        name: name, incarnation: "g\(number)p\(state.processes)",
        capabilities: fleet.world.entries[number].capabilities,
        format: fleet.world.entries[number].format, settings: settings, journal: entries,
        at: clock.now
      )
      let life = Life(
        process: process, store: store,
        shell: GatewayShell(machine, file, store, settings, process), identity: store.identity
      )
      state.life = life
      return life
    }
    let replaced = store.observeReplacement { [self] in checkStoreIdentity() }
    let followers = answerFollowers(store, log)
    state.withLock { $0.life?.subscriptions = [replaced, followers] }
    if life.shell.begin(handlers) { metAnotherStore() }
  }

  private var handlers: GatewayShell.Handlers {
    GatewayShell.Handlers(
      run: { [self] chain, job in run(chain, job) },
      decide: { [self] chain, step, isPermitted in
        if isPermitted { permit(chain, step) } else { refuse(chain) }
      },
      stop: { [self] chain, reason in stop(chain, reason) },
      ended: { [self] job, end in
        fleet.note("\(name): \(job) ended: \(end.map { "\($0.state)" } ?? "by another member")")
      },
      drained: { [self] in fleet.note("\(name) is drained") },
      journalWritable: { [self] isWritable in
        fleet.note("\(name) \(isWritable ? "can" : "cannot") write its journal")
      }
    )
  }

  private func handle(_ event: Gateway.Event) { state.withLock { $0.life?.shell }?.handle(event) }

  // MARK: Chains

  private func run(_ chain: Gateway.ChainID) -> Run? { state.withLock { $0.runs[chain.nonce] } }

  private func run(_ chain: Gateway.ChainID, _ job: FleetJob) {
    guard let life = state.withLock({ $0.life }) else { return }
    fleet.note("\(name) runs \(job.id) as \(chain)")
    fleet.rules.withLock { $0.began(chain, job.id, gateway: number, at: fleet.elapsed) }
    let operations = Array(job.values["operations"] ?? "")
    let sender = EventSender(
      chain, of: job.id, to: EventLog(disk), life.store, settings, life.process
    ) { [self] event in handle(event) }
    state.withLock { state in
      state.runCount += 1
      state.runs[chain.nonce] = Run(
        number: state.runCount, chain: chain, job: job, operations: operations, sender: sender
      )
    }
    life.process.post { [self] in next(chain) }
  }

  private func permit(_ chain: Gateway.ChainID, _ step: Int) {
    guard let run = run(chain), !run.isStopping, run.step == step else {
      // The chain was stopped while the operation waited, so the operation has ended.
      return handle(.operationEnded(chain, step: step))
    }
    fleet.rules.withLock { $0.permitted(chain, step: step, at: clock.now) }
    if step > 0, run.operations[step - 1] == "w" {
      let isAnnounced = disk.journal?.entries.contains { entry in
        entry.nonce == chain.nonce && entry.isOpen && entry.step == step
      }
      if isAnnounced != true {
        fleet.rules.withLock {
          $0.addProblem(
            "An operation is in the journal before it begins", "\(chain) step \(step)",
            at: fleet.elapsed)
        }
      }
    }
    send(chain, step)
  }

  private func refuse(_ chain: Gateway.ChainID) {
    state.withLock { $0.runs[chain.nonce]?.isStopping = true }
    end(chain, .stopped)
  }

  private func stop(_ chain: Gateway.ChainID, _ reason: StopReason) {
    fleet.note("\(name) stops \(chain): \(reason)")
    let isBusy = state.withLock { state in
      state.runs[chain.nonce]?.isStopping = true
      return state.runs[chain.nonce]?.isBusy
    }
    guard let isBusy else { return }
    if !isBusy { return end(chain, .stopped) }
    // The reply of a pending operation is ignored; the disconnect takes a moment.
    let time = state.withLock { Duration.milliseconds($0.generator.number(50...1000)) }
    let number = run(chain)?.number
    fleet.loop.after(
      time, inProcess { [self] in if run(chain)?.number == number { end(chain, .stopped) } }
    )
  }

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
    let pauses = process?.pauses
    let (delay, latency) = state.withLock { state in
      state.runs[chain.nonce]?.isBusy = true
      let delay = Duration.microseconds(state.generator.number(10...2000))
      let latency = Duration.milliseconds(state.generator.number(20...900))
      return (delay, latency * fleet.world.slowness)
    }
    let number = run(chain)?.number
    let sending = inProcess { [self] in
      guard let run = run(chain), run.number == number else { return }
      let wasStopped = process?.pauses != pauses
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
    let event = "{\"step\":\(step),\"wallClock\":\(clock.wallClock / .milliseconds(1))}"
    run(chain)?.sender.add(event)
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
    guard let run = state.withLock({ $0.runs.removeValue(forKey: chain.nonce) }) else { return }
    run.sender.close()
    let holder = FleetDevice.Holder(gateway: number, nonce: chain.nonce)
    fleet.withDevice(chain.address) { $0.disconnect(holder) }
    fleet.note("\(name) \(chain) ended: \(outcome)")
    fleet.rules.withLock { $0.ended(chain) }
    fleet.loop.post(
      inProcess { [self] in
        handle(.chainEnded(chain, outcome))
        run.sender.finish {}
      }
    )
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
      publish(.sightings(of: name), .sightings(report))
    }
    body()
  }

  private func publish(_ key: StoreKey, _ value: StoredValue) {
    guard let store = state.withLock({ $0.life?.store }) else { return }
    store.perform(.publish(key, value), within: settings.requestLimit) { _ in }
  }

  /// Kills the process; its guard disconnects.
  func kill(downFor time: Duration) {
    guard endProcess() else { return }
    fleet.note("\(name) is killed")
    disk.interrupt()
    fleet.loop.after(.milliseconds(300)) { [self] in fleet.disconnectAll(of: number) }
    fleet.loop.after(max(time, .milliseconds(400))) { [self] in restart() }
  }

  /// Loses the power of the host. The connections drop within the supervision timeout.
  func losePower(downFor time: Duration) {
    guard endProcess() else { return }
    fleet.note("\(name) has no power")
    disk.losePower()
    fleet.loop.after(settings.supervision / 2) { [self] in fleet.disconnectAll(of: number) }
    fleet.loop.after(max(time, settings.supervision)) { [self] in restart() }
  }

  /// - Returns: Whether a process ran.
  private func endProcess() -> Bool {
    let life = state.withLock { state in
      defer { (state.life, state.runs) = (nil, [:]) }
      return state.life
    }
    guard let life else { return false }
    life.process.kill()
    life.shell.end()
    for subscription in life.subscriptions { subscription.cancel() }
    fleet.rules.withLock { $0.killed(gateway: number) }
    return true
  }

  /// Ends the process at the end of the fleet, so that nothing refers back to it.
  func end() { _ = endProcess() }

  private func restart() {
    fleet.note("\(name) is started again")
    start()
    observe()
  }

  /// Compares the store with the one that the process knows.
  private func checkStoreIdentity() {
    let current = store.identity
    let shell = state.withLock { state -> GatewayShell? in
      guard let life = state.life, life.identity != current else { return nil }
      state.life?.identity = current
      return life.shell
    }
    guard let shell else { return }
    shell.storeReplaced()
    metAnotherStore()
  }

  private func metAnotherStore() {
    fleet.note("\(name) meets another store")
    writeEntry()
  }

  /// Stores the entry of this gateway again; repeats until the store has it.
  private func writeEntry() {
    guard let life = state.withLock({ $0.life }) else { return }
    let entry = StoredValue.gateway(fleet.world.entries[number])
    let create = StoreRequest.create(.gateway(name), entry)
    life.store.perform(create, within: settings.requestLimit) { [self] answer in
      switch answer {
      case .applied, .refused: break
      case .unknown, .unavailable, .unreadable, .entries, .published:
        _ = life.process.after(settings.retryAfter) { [self] in writeEntry() }
      }
    }
  }

  func pause(for time: Duration, guarded: Bool) {
    guard let process, !process.isPaused else { return }
    fleet.note("\(name) is stopped, \(guarded ? "its guard runs" : "with its host")")
    process.pause()
    fleet.rules.withLock { $0.paused(gateway: number, true, at: fleet.elapsed) }
    if guarded {
      // The watchdog kills a process that stays silent for a third of the lease.
      fleet.loop.after(settings.lease / 3) { [self] in
        if process.isPaused { kill(downFor: time) }
      }
    }
    fleet.loop.after(time) { [self] in
      guard process.isPaused else { return }
      fleet.note("\(name) continues")
      fleet.rules.withLock { $0.paused(gateway: number, false, at: fleet.elapsed) }
      // First: the deferred requests must not reach a store that replaced the journal's.
      process.resume { [self] in checkStoreIdentity() }
    }
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
  /// Answers followers that request missing events.
  private func answerFollowers(_ store: ProcessStore, _ log: EventLog) -> StoreSubscription {
    store.subscribe(.one(.eventsWanted(of: name))) { [self] _, value in
      guard case .eventsWanted(let wanted) = value else { return }
      for chunk in log.chunks(for: wanted) { publish(.events(of: wanted.job), .events(chunk)) }
    }
  }

  /// The events of a claim's run on the disk.
  func events(of nonce: String) -> [String] {
    EventLog(disk).chunks(of: nonce).flatMap(\.events)
  }

  /// Fills the disk of the journal for a while.
  func fillDisk(for time: Duration) {
    fleet.note("the disk of \(name) is full")
    disk.fill(true)
    fleet.loop.after(time) { [self] in disk.fill(false) }
  }
}
