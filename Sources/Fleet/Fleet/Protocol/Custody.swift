// The decisions of one member of the fleet about one device: when to claim it, and what to do with the
// claim it holds.
//
// A pure value: answers and the time in, actions and the next instant out. It never decides on a read
// alone, which may be stale: a read only suggests which compare-and-set or append to try. The claim
// while it is held is in Custody+Holding.swift, the records of its job in Custody+Records.swift.

import Bluetooth
import Signals

/// One device, as one member sees it.
struct Custody: Sendable {
  /// The kinds of requests. At most one request of each kind is pending at a time.
  enum Slot: Hashable, Sendable { case entry, record, job }

  enum Action: Equatable, Sendable {
    case perform(Slot, StoreRequest)
    /// Runs the chain of a job. Each of its operations needs a `permit` before it begins.
    case run(FleetJob, nonce: String)
    case permit(step: Int, nonce: String)
    case refuse(step: Int, nonce: String)
    /// Cancels the chain and disconnects; `chainEnded` follows as for any other end.
    case stop(nonce: String, StopReason)
    case journal(JournalEntry)
    /// Deletes the journal entry of the claim: nothing of it is unsettled.
    case forget(nonce: String)
    /// Reports that the end of a job is stored; nil when another member stored it.
    case ended(JobID, EndRecord?)
  }

  /// An attempt to claim whose outcome is not known yet.
  struct Attempt: Sendable {
    let claim: Claim
    let entry: DeviceEntry
    let replaces: Revision
    let sentAt: Instant
    /// The time of the last change of the entry that the attempt replaces. The new claim passes it
    /// on, to report when the previous owner was last alive.
    let renewedAt: Instant
    var isUnknown = false
  }

  /// The claim of an abandoned attempt. The store may still apply its late request; the claim is then
  /// given up.
  struct Abandoned: Sendable {
    let nonce: String
    let until: Instant
  }

  /// The pending request about the entry.
  enum EntryRequest: Sendable {
    case claim
    case giveUp
    case own(DeviceEntry?, renewal: Int?)
    case cleanUp
    case read
  }

  let address: BluetoothAddress
  let member: Member
  // The last known state of the store.
  var entry: DeviceEntry?
  var revision: Revision = 0
  var changedAt = Instant.start
  var firstSights: [JobID: Instant] = [:]
  var jobs: [JobID: FleetJob] = [:]
  // Pending requests, and this member's attempt or claim.
  var writing: EntryRequest?
  var isJobPending = false
  var recordRequest: StoreRequest?
  var nextRead: Instant?
  var bid: (revision: Revision, at: Instant)?
  /// Whether the member would claim now if it had a free connection.
  var needsOnlyConnection = false
  var attempt: Attempt?
  var abandoned: [Abandoned] = []
  var holding: Holding?
  /// The time to call `advance`, unless an event comes first.
  var next: Instant?

  /// The member of the fleet that decides: a gateway or a submitter.
  struct Member: Sendable {
    let name: String
    /// A text unique to this process, also among earlier processes of the same name.
    let incarnation: String
    let settings: FleetSettings
    /// True for a gateway; a submitter runs no chains.
    let runs: Bool
  }

  /// The inputs of a decision that come from the member, not from the device's entry.
  struct Circumstances: Sendable {
    /// The member's bid; nil when it does not observe the device or cannot run a chain now.
    var bid: Bid?
    var capabilities: [String] = []
    /// The number of requests the member has sent, which makes the nonce of a claim unique. A custody
    /// has no counter of its own because it is deleted when idle.
    var requests = 0
    /// The latest format version that the member reads.
    var format = StoredValue.version
    /// The known gateways, to explain why no gateway began a job.
    var observers = Observers()
    /// The extra time after a job's deadline in which another member may end it first.
    var grace = Duration.zero
  }

  init(_ address: BluetoothAddress, member: Member) {
    self.address = address
    self.member = member
  }

  var settings: FleetSettings { member.settings }

  /// Whether this custody holds no state and can be deleted.
  var isIdle: Bool {
    holding == nil && attempt == nil && abandoned.isEmpty && writing == nil
      && entry == nil && nextRead == nil && !isJobPending && recordRequest == nil
  }

  // MARK: Events

  /// Schedules a read of the entry: now, or after the pending request has been answered.
  mutating func readEntry(at now: Instant) { nextRead = min(nextRead ?? now, now) }

  /// Handles the answer to the pending request of a slot.
  mutating func answered(_ slot: Slot, _ answer: StoreAnswer, at now: Instant) -> [Action] {
    switch slot {
    case .job:
      isJobPending = false
      switch answer {
      case .entries(let entries):
        for case .job(let job) in entries.map(\.value) { jobs[job.id] = job }
        if entries.isEmpty { nextRead = later(now) }
      case .unreadable:
        // No gateway can run it. It ends when the patience has passed that its submitter usually has.
        if let head = entry?.queue.first {
          jobs[head.job] = FleetJob(unreadable: head.job, address)
        }
      case .applied, .refused, .unknown, .published, .unavailable:
        nextRead = later(now)
      }
      return []
    case .record:
      guard let request = recordRequest else { return [] }
      recordRequest = nil
      return recordAnswered(request, answer, at: now)
    case .entry:
      guard let request = writing else { return [] }
      writing = nil
      return entryAnswered(request, answer, at: now)
    }
  }

  private mutating func entryAnswered(
    _ request: EntryRequest, _ answer: StoreAnswer, at now: Instant
  ) -> [Action] {
    switch (answer, request) {
    case (.entries(let entries), _):
      return entryRead(entries.first, at: now)
    case (.applied(let revision), .claim):
      guard let attempt else { return [] }
      setEntry(attempt.entry, revision, at: now)
      hold(attempt, at: now)
    case (.applied(let revision), .giveUp):
      setEntry(entry?.released(), revision, at: now)
    case (.applied(let revision), .own(let written, let renewal)):
      setEntry(written, revision, at: now)
      return renewal.map { renewed($0, at: now) } ?? released(at: now)
    case (.applied, .cleanUp):
      entry = nil
    case (.refused, .claim):
      attempt = nil
      readEntry(at: now)
    case (.unknown, .claim):
      attempt?.isUnknown = true
      readEntry(at: now)
    case (.refused, _), (.unknown, _):
      readEntry(at: now)
    case (.unreadable, _):
      nextRead = now + settings.announceEvery
    case (.unavailable, _), (.applied, .read), (.published, _):
      nextRead = later(now)
    }
    return []
  }

  private func later(_ now: Instant) -> Instant { now + settings.retryAfter }

  /// Stores a new state of the entry.
  private mutating func setEntry(_ new: DeviceEntry?, _ revision: Revision, at now: Instant) {
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

  /// Handles the result of a read, which may be stale.
  private mutating func entryRead(_ found: StoreEntry?, at now: Instant) -> [Action] {
    guard case .device(let new)? = found?.value, let found else {
      // Removed, not created yet, or a stale read: none of them ends a claim.
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
    setEntry(new, found.revision, at: now)
    if holding != nil { return isNew ? heldEntryChanged(at: now) : [] }
    if attempt != nil { resolve(found.revision, new, at: now) }
    return []
  }

  /// Decides an attempt whose reply was lost, by what a read has returned.
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

  // MARK: Decisions

  /// Returns the actions that are due, and sets ``next``.
  mutating func advance(_ circumstances: Circumstances, at now: Instant) -> [Action] {
    next = nil
    needsOnlyConnection = false
    abandoned.removeAll { $0.until <= now }
    var actions = holding == nil ? [] : advanceHolding(circumstances, at: now)
    // A claim based on an outdated entry would be refused: read first.
    if holding == nil, writing == nil, nextRead.map({ $0 > now }) ?? true {
      actions += advanceUnclaimed(circumstances, at: now)
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

  mutating func write(_ writing: EntryRequest, _ request: StoreRequest) -> [Action] {
    self.writing = writing
    return [.perform(.entry, request)]
  }

  /// Handles a device that this member has not claimed: gives up a claim that was made late, or bids.
  private mutating func advanceUnclaimed(_ circumstances: Circumstances, at now: Instant)
    -> [Action]
  {
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
      needsOnlyConnection = true
      return []
    }
    return claim(head.job, replacing: entry, after: circumstances.requests, at: now)
  }

  /// Returns when this member may try to claim the job, and whether it then needs a free connection;
  /// nil when it must not claim.
  private mutating func claimable(
    _ job: FleetJob, _ head: QueuedJob, _ circumstances: Circumstances, at now: Instant
  ) -> (at: Instant, needsConnection: Bool)? {
    let expires = (firstSights[job.id] ?? now) + job.deadline + circumstances.grace
    if expires <= now { return (now, false) }
    wake(at: expires)
    let decided = bid.flatMap { $0.revision == revision ? $0.at : nil }
    if head.isCancelled {
      // Gateways claim before submitters: a gateway's journal knows what it has done.
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

  /// The time when this member first saw the first job of the queue.
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
