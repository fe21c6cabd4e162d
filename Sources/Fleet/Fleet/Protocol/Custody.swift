// One device as one member of the fleet sees it: who has it, whether to claim it, and the claim
// that this member holds.
//
// A pure value: answers and the time in, actions and the next instant out. Every decision rests on
// the outcome of a compare-and-set or an append; a read only proposes what to try. The claim that is
// held is in Custody+Holding.swift, the records of its job in Custody+Records.swift.

import Bluetooth
import Signals

/// One device, as one member sees it.
struct Custody: Sendable {
  /// What runs beside each other: at most one request of each kind is pending.
  enum Slot: Hashable, Sendable { case entry, record, job }

  enum Action: Equatable, Sendable {
    case perform(Slot, StoreRequest)
    /// Runs the chain of a job; each of its operations asks first.
    case run(FleetJob, nonce: String)
    case permit(step: Int, nonce: String)
    case refuse(step: Int, nonce: String)
    /// Cancels the chain and disconnects; the end of the chain is reported as always.
    case stop(nonce: String, StopReason)
    case journal(JournalEntry)
    /// Nothing about the claim is open any more.
    case forget(nonce: String)
    /// The end of a job is stored; nil when another member's end is.
    case ended(JobID, EndRecord?)
  }

  /// An attempt to claim without a known outcome.
  struct Attempt: Sendable {
    let claim: Claim
    let entry: DeviceEntry
    let replaces: Revision
    let sentAt: Instant
    /// When the entry that it replaces last changed.
    let renewedAt: Instant
    var isUnknown = false
  }

  /// The claim of an attempt that was abandoned, which may still be made.
  struct Abandoned: Sendable {
    let nonce: String
    let until: Instant
  }

  /// A change of the entry that has been sent.
  enum Writing: Sendable {
    case claim
    case giveUp
    case own(DeviceEntry?, renewal: Int?)
    case cleanUp
    case read
  }

  let address: BluetoothAddress
  let member: Member
  // What the store holds, as far as it is known.
  var entry: DeviceEntry?
  var revision: Revision = 0
  var changedAt = Instant.start
  var firstSights: [JobID: Instant] = [:]
  var jobs: [JobID: FleetJob] = [:]
  // What is pending.
  var writing: Writing?
  var isJobPending = false
  var recordRequest: StoreRequest?
  var nextRead: Instant?
  var bid: (revision: Revision, at: Instant)?
  /// The bid waits for nothing but a free connection.
  var isRipe = false
  var attempt: Attempt?
  var abandoned: [Abandoned] = []
  var holding: Holding?
  /// When something has to be done without an event.
  var next: Instant?

  /// Who looks at the device.
  struct Member: Sendable {
    let name: String
    /// What distinguishes this process from all others, also from earlier ones of the same name.
    let incarnation: String
    let settings: FleetSettings
    /// Whether it is a gateway, which can run chains.
    let runs: Bool
  }

  /// What the member can do for the device now.
  struct Circumstances: Sendable {
    /// Its bid; nil when it does not observe the device or can run nothing.
    var bid: Bid?
    var capabilities: [String] = []
    /// How many requests the member has sent. A custody is forgotten when it is idle: what
    /// distinguishes its claims from earlier ones is not its own.
    var requests = 0
    /// The latest version of the format that the member reads.
    var format = StoredValue.version
    /// Who listens and who observes the device, for a job that no gateway began.
    var observers = Observers()
    /// How long after its deadline a job is ended by this member, if nobody else ends it.
    var grace = Duration.zero
  }

  init(_ address: BluetoothAddress, member: Member) {
    self.address = address
    self.member = member
  }

  var settings: FleetSettings { member.settings }

  /// Whether nothing has to be remembered of the device.
  var isIdle: Bool {
    holding == nil && attempt == nil && abandoned.isEmpty && writing == nil
      && entry == nil && nextRead == nil && !isJobPending && recordRequest == nil
  }

  // MARK: Events

  /// Reads the entry now, or as soon as a pending request has its answer.
  mutating func look(at now: Instant) { nextRead = min(nextRead ?? now, now) }

  /// A request has its answer.
  mutating func answered(_ slot: Slot, _ answer: StoreAnswer, at now: Instant) -> [Action] {
    switch slot {
    case .job:
      isJobPending = false
      if case .entries(let entries) = answer {
        for case .job(let job) in entries.map(\.value) { jobs[job.id] = job }
        if entries.isEmpty { nextRead = later(now) }
      }
      return []
    case .record:
      guard let request = recordRequest else { return [] }
      recordRequest = nil
      return recordAnswered(request, answer, at: now)
    case .entry:
      guard let was = writing else { return [] }
      writing = nil
      return entryAnswered(was, answer, at: now)
    }
  }

  private mutating func entryAnswered(
    _ was: Writing, _ answer: StoreAnswer, at now: Instant
  ) -> [Action] {
    switch (answer, was) {
    case (.entries(let entries), _):
      return seen(entries.first, at: now)
    case (.applied(let revision), .claim):
      guard let attempt else { return [] }
      note(attempt.entry, revision, at: now)
      hold(attempt, at: now)
    case (.applied(let revision), .giveUp):
      note(entry?.released(), revision, at: now)
    case (.applied(let revision), .own(let written, let renewal)):
      note(written, revision, at: now)
      return renewal.map { renewed($0, at: now) } ?? released(at: now)
    case (.applied, .cleanUp):
      entry = nil
    case (.refused, .claim):
      attempt = nil
      look(at: now)
    case (.unknown, .claim):
      attempt?.isUnknown = true
      look(at: now)
    case (.refused, _), (.unknown, _):
      look(at: now)
    case (.unavailable, _), (.applied, .read), (.published, _):
      nextRead = later(now)
    }
    return []
  }

  private func later(_ now: Instant) -> Instant { now + settings.retryAfter }

  /// The entry has been replaced by a change that is known to be made.
  private mutating func note(_ new: DeviceEntry?, _ revision: Revision, at now: Instant) {
    entry = new
    if revision > self.revision {
      self.revision = revision
      changedAt = now
    }
    for queued in new?.queue ?? [] where firstSights[queued.job] == nil {
      firstSights[queued.job] = now
    }
    let present = Set(new?.queue.map(\.job) ?? [])
    if holding == nil {
      firstSights = firstSights.filter { present.contains($0.key) }
      jobs = jobs.filter { present.contains($0.key) }
    }
  }

  /// A read has returned the entry. It may be stale.
  private mutating func seen(_ found: StoreEntry?, at now: Instant) -> [Action] {
    guard case .device(let new)? = found?.value, let found else {
      // Removed, not yet created, or a stale read: nothing is decided on it.
      if holding?.stage == .releasing { return released(at: now) }
      if holding != nil || attempt != nil {
        nextRead = later(now)
        if let attempt, now - attempt.sentAt > settings.lease { self.attempt = nil }
      } else {
        entry = nil
      }
      return []
    }
    guard found.revision >= revision else {
      nextRead = later(now)
      return []
    }
    let isNew = found.revision > revision
    note(new, found.revision, at: now)
    if holding != nil { return isNew ? heldEntryChanged(at: now) : [] }
    if attempt != nil { resolve(found.revision, new, at: now) }
    return []
  }

  /// What a read shows about an attempt without a reply.
  private mutating func resolve(_ revision: Revision, _ new: DeviceEntry, at now: Instant) {
    guard let attempt, attempt.isUnknown else { return }
    let isFresh = now - attempt.sentAt <= settings.lease / 3
    if new.claim?.nonce == attempt.claim.nonce {
      if isFresh || settings.omits(.lateClaimGivenUp) {
        hold(attempt, at: now)
        let late = now + settings.lease
        if !isFresh { holding?.leaseEnd = late }
      } else {
        abandon(attempt, at: now)
      }
    } else if revision > attempt.replaces {
      self.attempt = nil
    } else if isFresh || settings.omits(.lateClaimGivenUp) {
      nextRead = later(now)
    } else {
      abandon(attempt, at: now)
    }
  }

  private mutating func abandon(_ attempt: Attempt, at now: Instant) {
    abandoned.append(
      Abandoned(nonce: attempt.claim.nonce, until: now + settings.lease + settings.lease)
    )
    self.attempt = nil
    nextRead = later(now)
  }

  private mutating func hold(_ attempt: Attempt, at now: Instant) {
    let from = settings.omits(.leaseFromSending) ? now : attempt.sentAt
    holding = Holding(
      attempt.claim, leaseEnd: from + settings.lease,
      nextRenewal: attempt.sentAt + settings.renewEvery,
      deadline: (firstSights[attempt.claim.job] ?? now)
        + (jobs[attempt.claim.job]?.deadline ?? .zero)
    )
    holding?.renewedAt = attempt.renewedAt
    self.attempt = nil
    bid = nil
    nextRead = nil
  }

  // MARK: What to do

  /// Does whatever is due, and sets ``next``.
  mutating func advance(_ circumstances: Circumstances, at now: Instant) -> [Action] {
    next = nil
    isRipe = false
    abandoned.removeAll { $0.until <= now }
    var actions = holding == nil ? [] : advanceHolding(circumstances, at: now)
    // What is known to be out of date is read again before anything is tried.
    if holding == nil, writing == nil, nextRead.map({ $0 > now }) ?? true {
      actions += watch(circumstances, at: now)
    }
    if let read = nextRead, writing == nil {
      if read <= now {
        nextRead = nil
        actions += write(.read, .list(.one(.device(address))))
      } else {
        wake(at: read)
      }
    }
    if holding == nil, let entry, !entry.queue.isEmpty, writing == nil, nextRead == nil {
      nextRead = now + settings.announceEvery
      wake(at: now + settings.announceEvery)
    }
    for one in abandoned { wake(at: one.until) }
    return actions
  }

  mutating func wake(at instant: Instant) { next = min(next ?? instant, instant) }

  mutating func write(_ writing: Writing, _ request: StoreRequest) -> [Action] {
    self.writing = writing
    return [.perform(.entry, request)]
  }

  /// Without a claim of its own: gives up what was claimed late, and bids.
  private mutating func watch(_ circumstances: Circumstances, at now: Instant) -> [Action] {
    guard let entry, attempt == nil else { return [] }
    if let claim = entry.claim, abandoned.contains(where: { $0.nonce == claim.nonce }) {
      let key = StoreKey.device(address)
      return write(.giveUp, .update(key, .device(entry.released()), expecting: revision))
    }
    guard let head = entry.queue.first else {
      return entry.claim == nil && member.runs
        ? write(.cleanUp, .remove(.device(address), expecting: revision)) : []
    }
    guard let job = jobs[head.job] else {
      if isJobPending { return [] }
      if let nextRead, nextRead > now { return [] }
      isJobPending = true
      return [.perform(.job, .list(.one(.job(head.job))))]
    }
    guard let ready = claimable(job, head, circumstances, at: now) else {
      bid = nil
      return []
    }
    var from = ready.at
    if let claim = entry.claim, !settings.omits(.successorWait) {
      from = max(from, changedAt + claim.lease + settings.supervision)
    }
    if bid?.revision != revision || bid.map({ $0.at < from }) == true { bid = (revision, from) }
    guard let bid, bid.at <= now else {
      if let bid { wake(at: bid.at) }
      return []
    }
    if ready.needsConnection, (circumstances.bid?.freeConnections ?? 0) <= 0 {
      isRipe = true
      return []
    }
    return claim(head.job, replacing: entry, after: circumstances.requests, at: now)
  }

  /// When this member may try to claim the job, and whether it needs a free connection then; nil when it
  /// must not.
  private mutating func claimable(
    _ job: FleetJob, _ head: QueuedJob, _ circumstances: Circumstances, at now: Instant
  ) -> (at: Instant, needsConnection: Bool)? {
    let expires = (firstSights[job.id] ?? now) + job.deadline + circumstances.grace
    if expires <= now { return (now, false) }
    wake(at: expires)
    let decided = bid.flatMap { $0.revision == revision ? $0.at : nil }
    if head.isCancelled {
      // A gateway comes first: it has the journal of what it has done.
      return (decided ?? now + (member.runs ? .zero : settings.bidWindow), false)
    }
    guard let offer = circumstances.bid, (job.onlyGateway ?? member.name) == member.name,
      job.format <= circumstances.format,
      job.needs.allSatisfy(circumstances.capabilities.contains)
    else { return nil }
    if let decided { return (decided, true) }
    var own = offer
    own.isPreferred = job.prefer == member.name
    return (now + own.delay(window: settings.bidWindow), true)
  }

  /// When the first job of the queue was seen first.
  var waitsSince: Instant? { entry?.queue.first.flatMap { firstSights[$0.job] } }

  private mutating func claim(
    _ job: JobID, replacing old: DeviceEntry, after requests: Int, at now: Instant
  ) -> [Action] {
    let claim = Claim(
      job: job, owner: member.name,
      nonce: "\(member.incarnation)-\(StoreKey.device(address).name)-\(requests)", epoch: revision,
      lease: settings.lease, successorOf: old.claim?.owner
    )
    var new = old
    new.claim = claim
    attempt = Attempt(
      claim: claim, entry: new, replaces: revision, sentAt: now, renewedAt: changedAt
    )
    bid = nil
    return write(.claim, .update(.device(address), .device(new), expecting: revision))
  }
}
