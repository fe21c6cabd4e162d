// The rules that every run of a fleet must keep, with the state to check them.

import Bluetooth
import Fleet
import Signals

/// Records a run's events and collects broken rules.
struct FleetRules: Sendable {
  /// A chain that is running on a gateway.
  struct Running: Sendable {
    let gateway: Int
    let nonce: String
    let job: JobID
    let order: Int
    /// End of the last pause of its gateway; the chain may still be ending shortly after it.
    var pausedUntil: Duration?
    var isPaused = false
    /// Number of pauses during which an operation was already let through.
    var letThrough = 0
  }

  /// The limit for a chain to end after a pause.
  private static let endingTime = Duration.seconds(3)

  private(set) var problems: [String] = []
  private(set) var begun: [JobID: Set<Int>] = [:]
  private var running: [BluetoothAddress: [Running]] = [:]
  /// The chain that began last on each device.
  private var latest: [BluetoothAddress: Int] = [:]
  /// When each claim and each renewal was sent, by its owner's clock.
  private var sent: [String: [Int: Instant]] = [:]
  /// When each lease expires, by its owner's clock, after the renewals that the store accepted.
  private var leases: [String: Instant] = [:]
  private var records: [JobID: [ResultRecord]] = [:]
  private var journals: [String: JournalEntry] = [:]
  private var overruns: [(nonce: String, step: Int)] = []
  private var queued: Set<JobID> = []
  /// Ends of jobs that the store lost when it was emptied.
  private var lostEnds: [JobID: EndRecord] = [:]
  private var order = 0
  /// Jobs of each device in the order of their queueing.
  private(set) var queues: [BluetoothAddress: [JobID]] = [:]
  /// Jobs of each device in the order in which they were passed to submitters.
  var submissions: [BluetoothAddress: [(job: JobID, submitter: Int)]] = [:]
  /// End states of jobs whose name resolved to no device.
  var unresolvedEnds: [EndState: Int] = [:]

  mutating func addProblem(_ rule: String, _ detail: String, at now: Duration) {
    problems.append("\(rule): \(detail), at \(now)")
  }

  // MARK: Chains

  mutating func began(_ chain: Gateway.ChainID, _ job: JobID, gateway: Int, at now: Duration) {
    order += 1
    latest[chain.address] = order
    begun[job, default: []].insert(gateway)
    let isRecorded = records[job]?.contains { $0.end == nil && $0.nonce == chain.nonce } ?? false
    if !isRecorded {
      addProblem("A chain begins with a record", "\(chain.nonce) of \(job)", at: now)
    }
    let others = running[chain.address, default: []].filter { $0.nonce != chain.nonce }
    for other in others where !isExcused(other, at: now) {
      addProblem("A device has one chain", "\(other.nonce) runs and \(chain.nonce) begins", at: now)
    }
    running[chain.address, default: []].removeAll { $0.nonce == chain.nonce }
    running[chain.address, default: []]
      .append(Running(gateway: gateway, nonce: chain.nonce, job: job, order: order))
  }

  /// True if the chain's process is or was just stopped, and the chain has begun no operation
  /// since.
  private func isExcused(_ chain: Running, at now: Duration) -> Bool {
    chain.isPaused || chain.pausedUntil.map { now - $0 <= Self.endingTime } ?? false
  }

  mutating func ended(_ chain: Gateway.ChainID) {
    running[chain.address]?.removeAll { $0.nonce == chain.nonce }
  }

  mutating func killed(gateway: Int) {
    for address in running.keys { running[address]?.removeAll { $0.gateway == gateway } }
  }

  mutating func paused(gateway: Int, _ isPaused: Bool, at now: Duration) {
    for (address, chains) in running {
      for index in chains.indices where chains[index].gateway == gateway {
        running[address]?[index].isPaused = isPaused
        running[address]?[index].pausedUntil = now
        if isPaused { running[address]?[index].letThrough = 0 }
      }
    }
  }

  /// Checks an operation that reached the device.
  ///
  /// - Parameter wasStopped: Whether its process was stopped between permission and sending.
  mutating func operated(
    _ chain: Gateway.ChainID, step: Int, isIdempotent: Bool, wasStopped: Bool, at now: Duration
  ) {
    let chains = running[chain.address, default: []]
    guard let index = chains.firstIndex(where: { $0.nonce == chain.nonce }) else {
      addProblem("Only chains that run operate", "\(chain.nonce) step \(step)", at: now)
      return
    }
    guard latest[chain.address, default: 0] > chains[index].order else { return }
    running[chain.address]?[index].letThrough += 1
    if !wasStopped || chains[index].letThrough > 0 {
      let detail = "\(chain.nonce) step \(step) after another chain began"
      addProblem("A replaced chain does nothing", detail, at: now)
    } else if !isIdempotent {
      overruns.append((chain.nonce, step))
    }
  }

  // MARK: Leases

  /// Records a request that a gateway sent.
  mutating func sent(_ request: StoreRequest, by owner: String, at now: Instant) {
    guard case .update(_, .device(let entry), _) = request, let claim = entry.claim,
      claim.owner == owner
    else { return }
    sent[claim.nonce, default: [:]][claim.renewal] = now
  }

  /// Checks that the lease is still valid when an operation gets permission to begin.
  mutating func permitted(_ chain: Gateway.ChainID, step: Int, at now: Instant) {
    if leases[chain.nonce].map({ now < $0 }) == true { return }
    let detail = "\(chain.nonce) step \(step), by the clock of its gateway"
    addProblem("No operation begins after the end of a lease", detail, at: now.sinceStart)
  }

  private mutating func accepted(_ claim: Claim) {
    guard let sentAt = sent[claim.nonce]?[claim.renewal] else { return }
    leases[claim.nonce] = max(leases[claim.nonce] ?? .start, sentAt + claim.lease)
  }

  mutating func journaled(_ entry: JournalEntry) { journals[entry.nonce] = entry }

  // MARK: Jobs

  mutating func queued(_ job: JobID) { queued.insert(job) }

  /// Applies a change of the store.
  mutating func changed(_ request: StoreRequest, _ queue: [JobID]?, at now: Duration) {
    switch request {
    case .create(let key, .device(let entry)), .update(let key, .device(let entry), _):
      if let claim = entry.claim { accepted(claim) }
      guard let address = key.address else { return }
      for one in entry.queue where queues[address]?.contains(one.job) != true {
        queues[address, default: []].append(one.job)
        checkOrder(of: one.job, on: address, at: now)
      }
    case .append(let key, .record(let record), _):
      guard let job = JobID(key.name) else { return }
      if case .started = record, let first = queue?.first, first != job {
        addProblem("Jobs of a device run in their order", "\(job) before \(first)", at: now)
      }
      let last = records[job]?.last?.end
      if let last, !(last.state.isOpen && record.end != nil) {
        addProblem("A job ends once", "\(job) was \(last.state)", at: now)
      }
      records[job, default: []].append(record)
    case .create, .update, .append, .remove, .list, .last, .publish:
      break
    }
  }

  /// Forgets the records: a job may end once more in the new store.
  mutating func storeWasEmptied() {
    lostEnds = records.compactMapValues { $0.last?.end }
    records = [:]
  }

  /// The end of a job; nil while it is running.
  func end(of job: JobID) -> EndRecord? { records[job]?.last?.end ?? lostEnds[job] }

  /// Checks the final state, once no events remain.
  mutating func finish(
    _ world: FleetWorld, _ devices: [BluetoothAddress: FleetDevice], at now: Duration
  ) {
    for address in devices.keys.sorted() {
      guard let holder = devices[address]?.holder else { continue }
      addProblem("No connection is left", "\(address) by \(holder.nonce)", at: now)
    }
    for draft in world.jobs {
      checkPlacement(of: draft, world, at: now)
      guard queued.contains(draft.job.id) || end(of: draft.job.id) != nil else { continue }
      let log = devices[draft.job.device]?.log.filter { $0.job == draft.job.id } ?? []
      check(draft, log, world, at: now)
    }
    for (nonce, step) in overruns {
      let entry = journals[nonce]
      let isReported =
        entry?.end?.overran == step || entry?.end?.state == .unknown || entry?.isOpen == true
      if !isReported {
        addProblem(
          "What a stopped process let through is reported", "\(nonce) step \(step)", at: now)
      }
    }
  }

  private mutating func check(
    _ draft: FleetWorld.JobDraft, _ log: [FleetDevice.Operation], _ world: FleetWorld,
    at now: Duration
  ) {
    let id = draft.job.id
    guard let end = end(of: id) else {
      // A lost job is only known to its submitter.
      if world.hasEmptiedStore, world.kills(submitter: draft.submitter) { return }
      addProblem("Every job ends", "\(id) has no end", at: now)
      return
    }
    let writes = log.filter { !$0.isIdempotent }
    if draft.job.rerun == .never {
      let steps = writes.map(\.step)
      if Set(steps).count != steps.count {
        addProblem("No operation is repeated that is not idempotent", "\(id): \(steps)", at: now)
      }
    }
    let isTrue: Bool
    switch end.state {
    case .ok:
      let own = log.filter { $0.nonce == end.nonce }.map(\.step)
      let steps = draft.operations.enumerated().filter { $0.element != "." }.map { $0.offset + 1 }
      isTrue = own == steps
    case .failed:
      isTrue = draft.job.rerun != .never || writes.allSatisfy { $0.step <= end.step ?? 0 }
    case .interrupted:
      isTrue =
        draft.job.rerun != .never
        || writes.allSatisfy { $0.step < end.step ?? 0 || $0.step == end.overran }
    case .cancelled:
      isTrue =
        draft.job.rerun != .never || writes.allSatisfy { $0.step <= end.step ?? -1 }
    case .noGateway, .noCapableGateway:
      isTrue = log.isEmpty && begun[id] == nil
    case .expired, .held, .ambiguous, .needsBond:
      isTrue = writes.isEmpty
    case .unknown:
      isTrue = true
    }
    if !isTrue {
      let done = log.map { "\($0.nonce):\($0.step)" }
      addProblem("A result is true", "\(id) is \(end.state) at \(end.step ?? -1), \(done)", at: now)
    }
  }
}

// MARK: - Placement, names and events

extension FleetRules {
  /// Records a job that was passed to a submitter.
  mutating func submitted(_ draft: FleetWorld.JobDraft) {
    submissions[draft.job.device, default: []].append((draft.job.id, draft.submitter))
  }

  /// Checks the queue order of a job that was queued for its device.
  private mutating func checkOrder(of job: JobID, on address: BluetoothAddress, at now: Duration) {
    let all = submissions[address] ?? []
    guard let index = all.firstIndex(where: { $0.job == job }) else { return }
    let earlier = all[..<index].first { one in
      one.submitter == all[index].submitter && queues[address]?.contains(one.job) != true
    }
    if let earlier {
      addProblem(
        "Jobs are queued in the order of submission", "\(job) before \(earlier.job)", at: now)
    }
  }

  /// Checks that each gateway that began a job was eligible for it.
  private mutating func checkPlacement(
    of draft: FleetWorld.JobDraft, _ world: FleetWorld, at now: Duration
  ) {
    let job = draft.job
    for gateway in (begun[job.id] ?? []).sorted() {
      let entry = world.entries[gateway]
      // After the store was emptied, a bond is unknown until its gateway has stored its entry again.
      let bonded = world.hasEmptiedStore ? nil : world.bonded(job.device)
      let only = bonded.map { "gateway-\($0)" } ?? (world.bonded(job.device) == nil ? job.pin : nil)
      if let only, only != "gateway-\(gateway)" {
        addProblem("A job runs where its bond or its pin is", "\(job.id) at \(gateway)", at: now)
      }
      if entry.format < job.format || !job.needs.allSatisfy(entry.capabilities.contains) {
        addProblem("A gateway runs what it is capable of", "\(job.id) at \(gateway)", at: now)
      }
    }
  }

  // MARK: Names

  /// Checks a name that was resolved to a device.
  mutating func resolved(
    _ draft: FleetWorld.JobDraft, _ address: BluetoothAddress, _ world: FleetWorld,
    at now: Duration
  ) {
    let advertised = world.advertised(by: address)
    let isOnly = world.names.count { $0.name == draft.name && $0.isIdentity } == 1
    // With lost reports, the submitter may not know of a second device of that name.
    let isTrue =
      advertised.name == draft.name && advertised.isIdentity
      && (isOnly || world.faults.lostDeliveries > 0 || !world.disturbances.isEmpty)
    if !isTrue {
      addProblem("A name means one device", "\(draft.name ?? "") is \(address)", at: now)
    }
  }

  /// Checks a name for which no device was found.
  mutating func unresolved(
    _ draft: FleetWorld.JobDraft, _ state: EndState, _ world: FleetWorld, at now: Duration
  ) {
    let named = world.names.filter { $0.name == draft.name }
    let isTrue: Bool
    switch state {
    case .ambiguous: isTrue = named.count { $0.isIdentity } > 1
    case .needsBond: isTrue = named.contains { !$0.isIdentity }
    case .noGateway: isTrue = true
    case .ok, .failed, .cancelled, .unknown, .interrupted, .noCapableGateway, .expired, .held:
      isTrue = false
    }
    unresolvedEnds[state, default: 0] += 1
    if !isTrue {
      addProblem("A name means one device", "\(draft.name ?? "") ended as \(state)", at: now)
    }
  }

  // MARK: Events

  /// Checks the events that a follower received of a job.
  mutating func followed(
    _ job: JobID, _ end: EndRecord, _ events: [String], missing: Int, kept: [String],
    at now: Duration
  ) {
    let isTrue =
      missing == 0
      ? events.count >= end.events && events.starts(with: kept.prefix(end.events))
      : events.count + missing == end.events
    if !isTrue {
      let detail = "\(job): \(events.count) of \(end.events) events, \(missing) missing"
      addProblem("A follower has all events, or knows how many it lacks", detail, at: now)
    }
  }

  /// Checks that a follower that was never cut off received everything in the gateway's journal.
  mutating func followedToTheEnd(
    _ job: JobID, _ end: EndRecord, missing: Int, kept: [String], at now: Duration
  ) {
    guard missing > 0, kept.count >= end.events else { return }
    let detail = "\(job): \(missing) of \(end.events) events missing"
    addProblem("A follower has what the journal of the gateway has", detail, at: now)
  }
}
