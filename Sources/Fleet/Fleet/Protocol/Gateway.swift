// A gateway: what it observes, the devices it looks after, the chains it runs.
//
// A pure value. The shell sends requests to the store, runs chains, keeps the journal, and turns
// their outcomes into events. Each event has the time by a clock that counts suspension too
// (CLOCK_BOOTTIME) and never jumps.

public import Bluetooth
public import Signals

/// What identifies a request of a member until its answer.
public struct RequestID: Hashable, Sendable {
  let number: Int
}

/// The decisions of a gateway.
public struct Gateway: Sendable {
  /// What happens to a gateway.
  public enum Event: Sendable {
    /// The time has come that ``Gateway/next`` named.
    case woken
    /// The radio observes a device.
    case observed(BluetoothAddress, rssi: Int)
    /// The devices whose connection another program on this host holds now.
    case held(Set<BluetoothAddress>)
    /// A job was announced for a device.
    case announced(BluetoothAddress)
    /// The store has answered.
    case answered(RequestID, StoreAnswer)
    /// An operation of a chain wants to begin: the answer is ``Action/permit(_:step:)`` or
    /// ``Action/refuse(_:step:)``.
    case operationWanted(ChainID, step: Int, isIdempotent: Bool)
    /// An operation that had permission has ended.
    case operationEnded(ChainID, step: Int)
    /// A chain has had these events so far, all of which the journal has. The last of them precedes
    /// the end of the chain.
    case reported(ChainID, EventDigest)
    /// An action ``Action/journal(_:)`` for the chain could not be carried out. Actions for the chain
    /// that follow it are not carried out either.
    case journalFailed(ChainID)
    /// A chain has ended, and its connection is down.
    case chainEnded(ChainID, ChainOutcome)
    /// Claim nothing new, and stop what still runs after the limit.
    case drain(within: Duration)
    /// Whether the journal can be written. A full disk stops claiming.
    case journalWritable(Bool)
  }

  /// What a gateway has to do.
  public enum Action: Equatable, Sendable {
    /// Send a request to the store, with the limit of the settings.
    case perform(RequestID, StoreRequest)
    /// Announcements for a device are of interest from now on.
    case subscribe(BluetoothAddress)
    /// They are no longer of interest.
    case unsubscribe(BluetoothAddress)
    /// Run the chain of a job.
    case run(ChainID, FleetJob)
    /// The operation may begin, now.
    case permit(ChainID, step: Int)
    /// The operation must not begin, nor any further one.
    case refuse(ChainID, step: Int)
    /// Cancel the chain, disconnect, and report its end.
    case stop(ChainID, StopReason)
    /// Keep this until it is forgotten. It replaces an earlier entry of the same claim.
    case journal(JournalEntry)
    /// The journal entry of this claim is settled.
    case forget(ChainID)
    /// The end of a job is in the store; nil when somebody else's is.
    case ended(JobID, EndRecord?)
    /// Nothing runs any more.
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
  /// The devices whose chain runs or is about to, attempts to claim included: each needs a connection.
  private var busy: Set<BluetoothAddress> = []
  /// The devices whose jobs wait for nothing but a free connection.
  private var ripe: Set<BluetoothAddress> = []
  private var failures: [BluetoothAddress: [Instant]] = [:]
  private var pending: [RequestID: (address: BluetoothAddress, slot: Custody.Slot)] = [:]
  private var sweep: Sweep
  private var requests = 0
  private var drainLimit: Instant?
  private var isDrained = false
  private var isJournalWritable = true

  /// When an event ``Event/woken`` is needed, unless another event comes first.
  public private(set) var next: Instant?

  /// A gateway that joins its fleet.
  ///
  /// - Parameters:
  ///   - name: Its name; see ``StoreName``.
  ///   - incarnation: What distinguishes this process from earlier ones of the same name; at most
  ///     32 characters of a name.
  ///   - capabilities: What it can do that not every gateway can.
  ///   - format: The latest version of the format that it reads.
  ///   - settings: The durations of the fleet.
  ///   - journal: What earlier processes have left unsettled.
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

  /// How many connections its chains hold or make.
  public var running: Int { custodies.values.count { $0.holding != nil } }

  // MARK: Events

  /// Handles one event.
  ///
  /// - Returns: What to do, in order. ``next`` is set.
  public mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    var actions: [Action] = []
    switch event {
    case .woken:
      actions += wake(at: now)
    case .observed(let address, let rssi):
      if observations.updateValue(Observation(rssi: rssi, at: now), forKey: address) == nil {
        actions.append(.subscribe(address))
        actions += with(address, at: now) { custody, _ in
          custody.look(at: now)
          return []
        }
      }
    case .held(let addresses):
      held = addresses
    case .announced(let address):
      actions += with(address, at: now) { custody, _ in
        custody.look(at: now)
        return []
      }
    case .answered(let id, let answer):
      actions += answered(id, answer, at: now)
    case .operationWanted(let chain, let step, let isIdempotent):
      actions += with(chain.address, at: now) { custody, _ in
        custody.wants(step: step, isIdempotent: isIdempotent, nonce: chain.nonce, at: now)
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
    case .chainEnded(let chain, let outcome):
      if case .failed(step: 0) = outcome { failures[chain.address, default: []].append(now) }
      actions += with(chain.address, at: now) { custody, _ in
        custody.chainEnded(outcome, nonce: chain.nonce, at: now)
      }
    case .drain(let limit):
      drainLimit = now + limit
    case .journalWritable(let isWritable):
      isJournalWritable = isWritable
    }
    actions += claimRipe(at: now)
    if drainLimit != nil { actions += drain(at: now) }
    setNext(now)
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
          custody.look(at: now)
          return []
        }
      }
      return actions + advanceSweep(at: now)
    }
    guard let (address, slot) = pending.removeValue(forKey: id) else { return [] }
    return with(address, at: now) { custody, _ in custody.answered(slot, answer, at: now) }
  }

  /// Does what is due by time alone.
  private mutating func wake(at now: Instant) -> [Action] {
    var actions: [Action] = []
    for address in custodies.keys.sorted() {
      guard let due = custodies[address]?.next, due <= now else { continue }
      actions += with(address, at: now) { _, _ in [] }
    }
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
    if running == 0, !isDrained {
      isDrained = true
      actions.append(.drained)
    }
    return actions
  }

  // MARK: Custodies

  private mutating func perform(_ request: StoreRequest) -> Action {
    requests += 1
    return .perform(RequestID(number: requests), request)
  }

  /// Changes a custody, does what is due in it, and forgets it when it is idle.
  private mutating func with(
    _ address: BluetoothAddress, at now: Instant,
    _ change: (inout Custody, Instant) -> [Custody.Action]
  ) -> [Action] {
    let circumstances = circumstances(of: address, at: now)
    var custody = custodies[address] ?? Custody(address, member: member)
    var actions = change(&custody, now)
    // What is decided in one place may make something due in another.
    for _ in 0..<4 {
      let more = custody.advance(circumstances, at: now)
      actions += more
      if more.isEmpty, custody.next.map({ $0 > now }) ?? true { break }
    }
    custodies[address] = custody.isIdle ? nil : custody
    if custody.needsConnection { busy.insert(address) } else { busy.remove(address) }
    if custody.isRipe { ripe.insert(address) } else { ripe.remove(address) }
    return actions.map { translated($0, address) }
  }

  /// Gives free connections to the jobs that wait for one, the oldest first.
  private mutating func claimRipe(at now: Instant) -> [Action] {
    var actions: [Action] = []
    for _ in 0..<member.settings.connections where busy.count < member.settings.connections {
      let oldest = ripe.min { a, b in
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
    // Whoever submitted a job ends it first.
    circumstances.grace = settings.announceEvery + settings.announceEvery
    if let seen = observations[address], now - seen.at <= settings.sightingAge {
      own.rssi = seen.rssi
      if drainLimit == nil, isJournalWritable, !own.isHolding {
        var bid = Bid(rssi: seen.rssi, freeConnections: settings.connections - busy.count)
        bid.recentFailures =
          failures[address]?.count { now - $0 < .seconds(300) } ?? 0
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
    if let drainLimit, drainLimit > now { consider(drainLimit) }
    next = earliest
  }
}

extension Custody {
  /// Settles what an earlier process has left.
  mutating func resume(_ entry: JournalEntry, at now: Instant) {
    holding = Holding(entry, owner: member.name, lease: settings.lease, at: now)
    next = now
  }
}

extension JournalEntry {
  /// The run of the chain that it is about.
  public var chain: Gateway.ChainID { Gateway.ChainID(address: address, nonce: nonce) }
}
