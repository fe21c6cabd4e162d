// The decisions of a gateway: which devices it claims, and which chains it runs and stops.
//
// A pure value. The shell sends its requests to the store, runs the chains, keeps the journal, and
// reports the outcomes as events. The time of each event must be from a clock that counts suspension
// (CLOCK_BOOTTIME): with any other, a lease would seem to hold while the host slept.

public import Bluetooth
public import Signals

/// The identity of a member's request until it is answered.
public struct RequestID: Hashable, Sendable {
  let number: Int
}

/// The decisions of a gateway.
public struct Gateway: Sendable {
  /// An input.
  public enum Event: Sendable {
    /// The instant ``Gateway/next`` has come.
    case woken
    /// The radio observed a device.
    case observed(BluetoothAddress, rssi: Int)
    /// The devices that another program on this host is connected to; replaces the earlier set.
    case held(Set<BluetoothAddress>)
    /// A job was announced for a device.
    case announced(BluetoothAddress)
    /// The connection to the store was made again: announcements may have been missed.
    case reconnected
    /// The store has answered a request.
    case answered(RequestID, StoreAnswer)
    /// An operation of a chain asks to begin. ``Action/permit(_:step:)`` or
    /// ``Action/refuse(_:step:)`` follows, possibly after later events.
    case operationWanted(ChainID, step: Int, isIdempotent: Bool)
    /// A permitted operation has ended.
    case operationEnded(ChainID, step: Int)
    /// The digest of a chain's events so far, all of which are in the journal. The last such event
    /// comes before ``chainEnded(_:_:)``.
    case reported(ChainID, EventDigest)
    /// An entry or events of the chain could not be written to the journal: it stops. An operation under way
    /// may have happened.
    case journalFailed(ChainID)
    /// A permitted operation of the chain did not begin: its journal entry could not be written, or the lease
    /// ended meanwhile.
    case operationNotBegun(ChainID, StopReason)
    /// A chain has ended, and its connection is down.
    case chainEnded(ChainID, ChainOutcome)
    /// Claim no further jobs, and stop the chains that still run after the limit.
    case drain(within: Duration)
    /// Whether the journal can be written. While it cannot (a full disk), no job is claimed.
    case journalWritable(Bool)
    /// The store has another identity than before: what it held is lost. Also after a start, if an
    /// earlier process knew another store.
    case storeReplaced
  }

  /// An output, to be carried out by the shell.
  public enum Action: Equatable, Sendable {
    /// Send a request to the store, with the limit of the settings.
    case perform(RequestID, StoreRequest)
    /// Subscribe to the announcements for a device.
    case subscribe(BluetoothAddress)
    /// Cancel that subscription.
    case unsubscribe(BluetoothAddress)
    /// Run the chain of a job.
    case run(ChainID, FleetJob)
    /// Let the operation begin, now.
    case permit(ChainID, step: Int)
    /// The operation must not begin, nor any further one.
    case refuse(ChainID, step: Int)
    /// Cancel the chain, disconnect, and report its end.
    case stop(ChainID, StopReason)
    /// Write this entry to the journal. It replaces an earlier entry of the same claim.
    case journal(JournalEntry)
    /// Delete the journal entry of this claim.
    case forget(ChainID)
    /// The end of a job is stored; nil when another member stored it.
    case ended(JobID, EndRecord?)
    /// No chain runs any longer, after ``Event/drain(within:)``.
    case drained
  }

  /// One run of a chain: a device and a claim.
  public struct ChainID: Hashable, Sendable, CustomStringConvertible {
    /// The device.
    public let address: BluetoothAddress
    /// The nonce of the claim.
    public let nonce: String

    public var description: String { nonce }
  }

  private struct Observation {
    var rssi: Int
    var at: Instant
  }

  private let member: Custody.Member
  private let entry: GatewayEntry
  private var held: Set<BluetoothAddress> = []
  private var observations: [BluetoothAddress: Observation] = [:]
  private var custodies: [BluetoothAddress: Custody] = [:]
  /// The devices that have or need a connection: a chain runs, or an attempt to claim is pending.
  private var busy: Set<BluetoothAddress> = []
  /// The devices that would be claimed now if a connection were free.
  private var waitingForConnection: Set<BluetoothAddress> = []
  private var failures: [BluetoothAddress: [Instant]] = [:]
  private var pending: [RequestID: (address: BluetoothAddress, slot: Custody.Slot)] = [:]
  private var sweep: Sweep
  private var requests = 0
  private var drainLimit: Instant?
  private var isDrained = false
  private var isJournalWritable = true
  /// The time when the leases that other gateways had in a lost store have ended; nil if none is
  /// lost.
  private var claimsAgainAt: Instant?

  /// The time to send the event ``Event/woken``, unless another event comes first.
  public private(set) var next: Instant?

  /// Creates a gateway that joins its fleet.
  ///
  /// - Parameters:
  ///   - name: Its name; see ``StoreName``.
  ///   - incarnation: A text unique to this process, also among earlier ones of the same name; at most
  ///     32 characters, which a name may have.
  ///   - capabilities: The abilities that jobs can require, beyond those of every gateway.
  ///   - format: The latest format version that it reads.
  ///   - settings: The durations of the fleet.
  ///   - journal: The claims that earlier processes left unsettled.
  ///   - now: The time.
  public init(
    name: String, incarnation: String, capabilities: [String] = [],
    format: Int = StoredValue.version, settings: FleetSettings, journal: [JournalEntry] = [],
    at now: Instant
  ) {
    precondition(StoreName.isValid(name) && incarnation.utf8.count <= 32, "see StoreName")
    member = Custody.Member(name: name, incarnation: incarnation, settings: settings, runs: true)
    var entry = GatewayEntry()
    (entry.capabilities, entry.format) = (capabilities, format)
    self.entry = entry
    sweep = Sweep(gateway: name, incarnation: incarnation, settings: settings, at: now)
    for entry in journal {
      custodies[entry.address, default: Custody(entry.address, member: member)]
        .resume(entry, at: now)
      busy.insert(entry.address)
    }
    next = now
  }

  /// The number of claims that it holds.
  public var running: Int { custodies.values.count { $0.holding != nil } }

  /// Whether the lease of a chain allows an operation to begin now.
  func mayBegin(_ chain: ChainID, at now: Instant) -> Bool {
    guard let custody = custodies[chain.address], custody.holding?.claim.nonce == chain.nonce else {
      return false
    }
    return custody.mayBegin(at: now)
  }

  // MARK: Events

  /// Handles one event.
  ///
  /// - Returns: The actions, in order. Sets ``next``.
  public mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    var actions: [Action] = []
    switch event {
    case .woken:
      actions += wake(at: now)
    case .observed(let address, let rssi):
      if observations.updateValue(Observation(rssi: rssi, at: now), forKey: address) == nil {
        actions.append(.subscribe(address))
        actions += with(address, at: now) { custody, _ in
          custody.readEntry(at: now)
          return []
        }
      }
    case .held(let addresses):
      held = addresses
    case .announced(let address):
      actions += with(address, at: now) { custody, _ in
        custody.readEntry(at: now)
        return []
      }
    case .reconnected:
      actions += readMissed(at: now)
    case .answered(let id, let answer):
      actions += answered(id, answer, at: now)
    case .operationWanted(let chain, let step, let isIdempotent):
      actions += with(chain.address, at: now) { custody, _ in
        custody.operationWanted(step: step, isIdempotent: isIdempotent, nonce: chain.nonce, at: now)
      }
    case .operationEnded(let chain, let step):
      actions += with(chain.address, at: now) { custody, _ in
        custody.operationEnded(step: step, nonce: chain.nonce, at: now)
      }
    case .reported(let chain, let events):
      custodies[chain.address]?.reported(events, nonce: chain.nonce)
    case .journalFailed(let chain):
      isJournalWritable = false
      actions += with(chain.address, at: now) { custody, _ in
        custody.journalFailed(nonce: chain.nonce)
      }
    case .operationNotBegun(let chain, let reason):
      actions += with(chain.address, at: now) { custody, _ in
        custody.operationNotBegun(reason, nonce: chain.nonce)
      }
    case .chainEnded(let chain, let outcome):
      if case .failed(step: 0) = outcome {
        failures[chain.address, default: []].append(now)
        // More failures than these do not change a bid.
        failures[chain.address] = failures[chain.address]?.suffix(Bid.mostFailures)
      }
      actions += with(chain.address, at: now) { custody, _ in
        custody.chainEnded(outcome, nonce: chain.nonce, at: now)
      }
    case .drain(let limit):
      drainLimit = now + limit
    case .journalWritable(let isWritable):
      isJournalWritable = isWritable
    case .storeReplaced:
      actions += storeReplaced(at: now)
    }
    actions += claimWaiting(at: now)
    if drainLimit != nil { actions += drain(at: now) }
    setNext(now)
    return actions
  }

  /// Reads the entries of the observed devices for which no job is known: a job may have been
  /// announced in the meantime.
  ///
  /// The reads are spread over the pause between announcements, because all gateways reconnect to a
  /// restarted server at once.
  private mutating func readMissed(at now: Instant) -> [Action] {
    let addresses = observations.keys.filter { custodies[$0] == nil }.sorted()
    let pause = member.settings.announceEvery / max(1, addresses.count)
    var actions: [Action] = []
    for (index, address) in addresses.enumerated() {
      actions += with(address, at: now) { custody, now in
        custody.readEntry(at: now + pause * index)
        return []
      }
    }
    return actions
  }

  /// Forgets what belonged to the lost store. Another gateway may still run a chain under a claim that
  /// is lost, so nothing is run before such a claim has ended.
  private mutating func storeReplaced(at now: Instant) -> [Action] {
    pending = [:]
    sweep = Sweep(
      gateway: member.name, incarnation: member.incarnation, settings: member.settings, at: now
    )
    claimsAgainAt = now + member.settings.succession
    var actions: [Action] = []
    for address in Set(custodies.keys).union(observations.keys).sorted() {
      actions += with(address, at: now) { custody, now in custody.storeReplaced(at: now) }
    }
    return actions
  }

  private mutating func answered(
    _ id: RequestID, _ answer: StoreAnswer, at now: Instant
  ) -> [Action] {
    if sweep.pending == id {
      let due = sweep.answered(answer, at: now)
      var actions: [Action] = []
      for address in due {
        actions += [perform(.publish(.announcement(of: address), .announcement))]
        actions += with(address, at: now) { custody, _ in
          custody.readEntry(at: now)
          return []
        }
      }
      return actions + advanceSweep(at: now)
    }
    guard let (address, slot) = pending.removeValue(forKey: id) else { return [] }
    return with(address, at: now) { custody, _ in custody.answered(slot, answer, at: now) }
  }

  /// Handles everything that has become due.
  private mutating func wake(at now: Instant) -> [Action] {
    var actions: [Action] = []
    let claimsAgain = claimsAgainAt.map { $0 <= now } ?? false
    if claimsAgain { claimsAgainAt = nil }
    for address in custodies.keys.sorted() {
      guard claimsAgain || custodies[address]?.next.map({ $0 <= now }) == true else { continue }
      actions += with(address, at: now) { _, _ in [] }
    }
    failures = failures.filter { $0.value.contains { now - $0 < Bid.failureAge } }
    let gone = observations.filter { now - $0.value.at > member.settings.sightingAge }.keys
    for address in gone.sorted() {
      observations[address] = nil
      actions.append(.unsubscribe(address))
    }
    return actions + advanceSweep(at: now)
  }

  private mutating func advanceSweep(at now: Instant) -> [Action] {
    guard drainLimit == nil, let request = sweep.advance(at: now) else { return [] }
    let action = perform(request)
    if case .perform(let id, _) = action { sweep.pending = id }
    return [action]
  }

  private mutating func drain(at now: Instant) -> [Action] {
    var actions: [Action] = []
    if let drainLimit, drainLimit <= now {
      for address in custodies.keys.sorted() where custodies[address]?.holding != nil {
        actions += with(address, at: now) { custody, _ in custody.stop(.drained) }
      }
    }
    if !isDrained, running == 0 || drainLimit.map({ hasSettled(after: $0, at: now) }) == true {
      isDrained = true
      actions.append(.drained)
    }
    return actions
  }

  /// Whether no chain runs after the limit of a drain, and the store had time to accept their ends.
  private func hasSettled(after limit: Instant, at now: Instant) -> Bool {
    now >= limit + member.settings.settleWithin
      && !custodies.values.contains { $0.holding?.stage == .running }
  }

  // MARK: Custodies

  private mutating func perform(_ request: StoreRequest) -> Action {
    requests += 1
    return .perform(RequestID(number: requests), request)
  }

  /// Changes a custody, advances it, and deletes it when it is idle.
  private mutating func with(
    _ address: BluetoothAddress, at now: Instant,
    _ change: (inout Custody, Instant) -> [Custody.Action]
  ) -> [Action] {
    let circumstances = circumstances(of: address, at: now)
    var custody = custodies[address] ?? Custody(address, member: member)
    var actions = change(&custody, now)
    // One step of `advance` may make another one due. Four rounds are enough for all of them.
    for _ in 0..<4 {
      let more = custody.advance(circumstances, at: now)
      actions += more
      if more.isEmpty, custody.next.map({ $0 > now }) ?? true { break }
    }
    custodies[address] = custody.isIdle ? nil : custody
    if custody.needsConnection { busy.insert(address) } else { busy.remove(address) }
    if custody.needsOnlyConnection {
      waitingForConnection.insert(address)
    } else {
      waitingForConnection.remove(address)
    }
    return actions.map { translated($0, address) }
  }

  /// Claims the jobs that wait for a free connection, the oldest first, as far as connections are free.
  private mutating func claimWaiting(at now: Instant) -> [Action] {
    var actions: [Action] = []
    for _ in 0..<member.settings.connections where busy.count < member.settings.connections {
      let oldest = waitingForConnection.min { a, b in
        let (first, second) = (custodies[a]?.waitsSince ?? now, custodies[b]?.waitsSince ?? now)
        return first == second ? a < b : first < second
      }
      guard let oldest else { break }
      actions += with(oldest, at: now) { _, _ in [] }
    }
    return actions
  }

  private mutating func translated(
    _ action: Custody.Action, _ address: BluetoothAddress
  ) -> Action {
    func chain(_ nonce: String) -> ChainID { ChainID(address: address, nonce: nonce) }
    switch action {
    case .perform(let slot, let request):
      let action = perform(request)
      if case .perform(let id, _) = action { pending[id] = (address, slot) }
      return action
    case .run(let job, let nonce): return .run(chain(nonce), job)
    case .permit(let step, let nonce): return .permit(chain(nonce), step: step)
    case .refuse(let step, let nonce): return .refuse(chain(nonce), step: step)
    case .stop(let nonce, let reason): return .stop(chain(nonce), reason)
    case .journal(let entry): return .journal(entry)
    case .forget(let nonce): return .forget(chain(nonce))
    case .ended(let job, let end): return .ended(job, end)
    }
  }

  private func circumstances(
    of address: BluetoothAddress, at now: Instant
  ) -> Custody.Circumstances {
    var circumstances = Custody.Circumstances(capabilities: entry.capabilities)
    (circumstances.format, circumstances.requests) = (entry.format, requests)
    var own = Observers.Listener(gateway: member.name, entry: entry)
    own.isHolding = held.contains(address)
    let settings = member.settings
    // The submitter of a job has this time to end it first.
    circumstances.grace = settings.announceEvery + settings.announceEvery
    if let seen = observations[address], now - seen.at <= settings.sightingAge {
      own.rssi = seen.rssi
      if drainLimit == nil, isJournalWritable, claimsAgainAt == nil, !own.isHolding {
        var bid = Bid(rssi: seen.rssi, freeConnections: settings.connections - busy.count)
        bid.recentFailures =
          failures[address]?.count { now - $0 < Bid.failureAge } ?? 0
        bid.isConnecting = custodies.values.contains { custody in
          custody.holding?.stage == .running && custody.holding?.step == 0
        }
        circumstances.bid = bid
      }
    }
    circumstances.observers.listeners = [own]
    return circumstances
  }

  private mutating func setNext(_ now: Instant) {
    var earliest = drainLimit == nil ? sweep.next : nil
    func consider(_ instant: Instant?) {
      if let instant, earliest.map({ instant < $0 }) ?? true { earliest = instant }
    }
    for custody in custodies.values { consider(custody.next) }
    for observation in observations.values {
      consider(observation.at + member.settings.sightingAge + .milliseconds(1))
    }
    for instant in [drainLimit, drainLimit.map { $0 + member.settings.settleWithin }] {
      if let instant, instant > now { consider(instant) }
    }
    consider(claimsAgainAt)
    next = earliest
  }
}

extension Custody {
  /// Continues with the claim that an earlier process left in the journal.
  mutating func resume(_ entry: JournalEntry, at now: Instant) {
    holding = Holding(entry, owner: member.name, lease: settings.lease, at: now)
    next = now
  }
}

extension JournalEntry {
  /// The run of a chain that this entry belongs to.
  public var chain: Gateway.ChainID { Gateway.ChainID(address: address, nonce: nonce) }
}
