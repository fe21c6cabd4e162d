// A running gateway: connects GatewayShell to the chains and the radio of this host.
//
// It makes no decisions of the protocol; Gateway does. Everything runs on the loop.

import BlueZ
import Bluetooth
import Documents
import Fleet
import Jobs
import Program
import Signals

/// A gateway of a fleet.
final class GatewayService: Sendable {
  /// The last observation of a device.
  private struct Seen {
    let sighting: Sighting
    let at: Instant
  }

  private struct State {
    var runs: [Gateway.ChainID: GatewayRun] = [:]
    var followers: StoreSubscription?
    var replaced: StoreSubscription?
    var seen: [BluetoothAddress: Seen] = [:]
    var isDraining = false
    var isDrained = false
    var tasks: [Task<Void, any Error>] = []
    var failure: String?
  }

  /// How often old events are deleted.
  private static let prunePause = Duration.seconds(600)
  /// How long the end waits for stopped chains. With the other waits of the end it stays below a minute,
  /// after which systemd kills.
  private static let disconnectLimit = Duration.seconds(10)
  /// The longest wait for the last write of the journal.
  private static let journalLimit = Duration.seconds(10)
  /// The pause before a scan is started again.
  private static let scanPause = Duration.seconds(5)
  /// The shortest interval between observations of an unchanged device.
  private static let repeatPause = Duration.seconds(1)

  private let name: String
  private let parts: GatewayParts
  private let file: GatewayFile
  private let settings: FleetSettings
  private let drainLimit: Duration
  private let shell: GatewayShell
  private let presence: GatewayPresence
  private let state = Guarded(State())
  private var loop: Loop { parts.loop }

  init(
    _ name: String, _ parts: GatewayParts, _ disk: JournalFile, capabilities: [String],
    drainLimit: Duration
  ) {
    self.name = name
    self.parts = parts
    self.drainLimit = drainLimit
    let settings = parts.settings
    self.settings = settings
    file = GatewayFile(disk.journal, on: disk, parts.clock)
    let log = EventLog(parts.events)
    let journal = file.entries.map { entry in
      var entry = entry
      entry.events = log.digest(of: entry.nonce)
      return entry
    }
    let incarnation = BootClock.incarnation
    let machine = Gateway(
      name: name, incarnation: incarnation, capabilities: capabilities,
      settings: settings, journal: journal, at: BootClock.now
    )
    shell = GatewayShell(machine, file, parts.store, settings, parts.clock)
    var entry = GatewayEntry()
    entry.capabilities = capabilities
    entry.incarnation = incarnation
    entry.host = GatewayHost.name
    entry.version = Blerun.version
    entry.begun = Timestamp.text(parts.loop.wallClockAtStart + parts.loop.now.sinceStart)
    entry.connections = settings.connections
    presence = GatewayPresence(name, entry, settings, in: parts.store, on: parts.loop)
  }

  /// Whether it has been drained or has failed.
  var isOver: Bool { state.withLock { $0.isDrained || $0.failure != nil } }

  /// The reason why it cannot continue; nil if it can.
  var failure: String? { state.withLock { $0.failure } }

  /// Joins the fleet: begins to scan, report and claim.
  func begin() {
    let replaced = parts.store.observeReplacement { [weak self] in
      self?.reportReplacement()
      self?.shell.storeReplaced()
    }
    state.withLock { $0.replaced = replaced }
    let handlers = GatewayShell.Handlers(
      run: { [weak self] in self?.run($0, $1) },
      decide: { [weak self] chain, step, isPermitted in
        self?.run(of: chain)?.decide(step, isPermitted: isPermitted)
      },
      stop: { [weak self] chain, reason in self?.run(of: chain)?.stop(reason) },
      ended: { job, end in
        let state = end.map { "\($0.state.rawValue)" } ?? "at another gateway"
        StandardError.notice("job \(job) ended: \(state)")
      },
      drained: { [weak self] in self?.state.withLock { $0.isDrained = true } },
      journalWritable: { isWritable in
        if isWritable {
          StandardError.notice("the gateway's journal can be written again")
        } else {
          StandardError.failure("the gateway's journal cannot be written: nothing new is claimed")
        }
      }
    )
    if shell.begin(handlers) { reportReplacement() }
    presence.begin(
      GatewayPresence.Handlers(
        report: { [self] in report() }, drain: { [self] in drain() },
        nameTaken: { [self] other in fail(Self.nameTaken(name, by: other)) }
      )
    )
    updateBonds()
    parts.world.observeBonds { [weak self] in self?.updateBonds() }
    repeatedly(every: settings.beatEvery) { [self] in parts.linkGuard?.beat() }
    repeatedly(every: Self.prunePause) { [self] in
      parts.events.prune(at: loop.wallClockAtStart + loop.now.sinceStart)
    }
    keep(loop.task { [self] in try await scan() })
    let followers = parts.store.subscribe(.one(.eventsWanted(of: name))) { [weak self] _, value in
      if case .eventsWanted(let wanted) = value { self?.send(wanted) }
    }
    state.withLock { $0.followers = followers }
  }

  private func reportReplacement() {
    StandardError.failure(
      "the store of the fleet is another one than before: nothing is claimed for "
        + "\(settings.succession.written), because another gateway may still hold a lost claim"
    )
  }

  /// Sends events to a follower again, from the disk.
  private func send(_ wanted: EventRequest) {
    for chunk in EventLog(parts.events).chunks(for: wanted) {
      let request = StoreRequest.publish(.events(of: wanted.job), .events(chunk))
      parts.store.perform(request, within: settings.requestLimit) { _ in }
    }
  }

  /// Returns why the gateway may not join; nil if its name is free.
  func obstacle() async throws -> String? {
    try await presence.gatewayWithName().map { Self.nameTaken(name, by: $0) }
  }

  private static func nameTaken(_ name: String, by other: GatewayEntry) -> String {
    "another gateway has the name \(name), on host \(other.host ?? "unknown") since "
      + "\(other.begun ?? "unknown"): give one of them another --name"
  }

  /// Stops claiming, and ends the running chains within the limit.
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
    shell.handle(.drain(within: drainLimit))
  }

  /// Handles that the connection to the server has ended for good, or is of no use.
  func fail(_ reason: String) {
    state.withLock { $0.failure = $0.failure ?? reason }
    // The running chains must stop, because their leases can no longer be renewed.
    let runs = state.withLock { Array($0.runs.values) }
    for run in runs { run.stop(.leaseEnding) }
  }

  /// Leaves the fleet, after it has been drained or has failed.
  func end() async {
    let (tasks, subscriptions) = state.withLock { state in
      (state.tasks, [state.followers, state.replaced].compactMap(\.self))
    }
    for task in tasks { task.cancel() }
    for task in tasks { _ = try? await task.value }
    for subscription in subscriptions { subscription.cancel() }
    // Stopped chains still have to disconnect; each disconnect has its own limit.
    let patience = loop.now + Self.disconnectLimit
    while loop.now < patience, state.withLock({ !$0.runs.isEmpty }) {
      try? await loop.sleep(for: .milliseconds(20))
    }
    shell.end()
    await presence.end(isReachable: failure == nil)
    _ = try? await wait(
      on: loop, operation: "writing the gateway's journal", limit: Self.journalLimit
    ) { (done: Completion<Void>) in
      file.write { _ in done.succeed(()) }
    }
  }

  private func keep(_ task: Task<Void, any Error>) { state.withLock { $0.tasks.append(task) } }

  private func repeatedly(
    every pause: Duration, _ body: @escaping @Sendable () async throws -> Void
  ) {
    keep(loop.repeatedly(every: pause, body))
  }

  // MARK: Chains

  private func run(of chain: Gateway.ChainID) -> GatewayRun? { state.withLock { $0.runs[chain] } }

  private func run(_ chain: Gateway.ChainID, _ job: FleetJob) {
    StandardError.notice("job \(job.id) begins on \(job.device)")
    let run = GatewayRun(chain, job, parts) { [weak self] event in self?.shell.handle(event) }
    state.withLock { $0.runs[chain] = run }
    run.begin { [weak self, weak run] in
      // If the chain was tried again under its claim, `runs` already has the new run.
      self?.state.withLock { if $0.runs[chain] === run { $0.runs[chain] = nil } }
    }
  }

  // MARK: Observations

  private func scan() async throws {
    // A scan only sends changes. This also reports devices whose advertising has not changed.
    parts.world.observeSightings { [weak self] in self?.observe($0) }
    let lane = SerialScheduler(on: loop, name: "scan")
    let service = parts.world.service(for: .any, on: lane)
    var isFailing = false
    while true {
      do {
        _ = try await service.scan(ScanFilter()).then { Signal.just(true) }
          .first(within: .seconds(3600 * 24 * 365))
      } catch {
        if Task.isCancelled || error is CancellationError { throw error }
        if !isFailing { StandardError.failure("\(RunFailure(error))") }
        isFailing = true
      }
      try await loop.sleep(for: Self.scanPause)
    }
  }

  private func observe(_ device: Advertisement) {
    // A device without RSSI is only cached by bluetoothd, not in range.
    guard let rssi = device.rssi else { return }
    var sighting = Sighting(address: device.address, rssi: max(-127, min(20, rssi)))
    sighting.isIdentity = device.address.isIdentity(device.addressType)
    sighting.name = device.name.flatMap { name in
      name.utf8.count <= FleetBounds.deviceName ? name : nil
    }
    let now = BootClock.now
    let mustReport = state.withLock { state in
      if let last = state.seen[device.address] {
        guard last.sighting != sighting || now - last.at >= Self.repeatPause else { return false }
      } else if state.seen.count >= FleetBounds.sightings {
        return true
      }
      state.seen[device.address] = Seen(sighting: sighting, at: now)
      return true
    }
    guard mustReport else { return }
    shell.handle(.observed(device.address, rssi: sighting.rssi))
  }

  /// Returns the current sightings. Also tells the state machine which devices other programs hold.
  private func report() -> SightingReport {
    let now = BootClock.now
    let present = state.withLock { state in
      state.seen = state.seen.filter { now - $0.value.at <= settings.sightingAge }
      return state.seen.sorted { $0.key < $1.key }.map(\.value.sighting)
    }
    var report = SightingReport(gateway: name, sightings: present)
    let held = parts.world.foreignLinks()
    report.held = Array(held.prefix(FleetBounds.sightings))
    shell.handle(.held(Set(held)))
    let running = state.withLock { $0.runs.count }
    _ = presence.change { ($0.observed, $0.running) = (present.count, running) }
    return report
  }

  /// Updates the bonds in the gateway's entry, and renews it immediately if they have changed.
  private func updateBonds() {
    let bonds = parts.world.bonds().prefix(FleetBounds.sightings)
    let hasChanged = presence.change { $0.bonds = Array(bonds) }
    if hasChanged, !isOver { presence.renewNow() }
  }
}
