// The records of a job whose claim is held: the start that allows the chain, and the end.
//
// Each is appended behind the record that is known to be the last, so that stale reads and late
// requests cannot make a second start or a second end of one claim.

import Signals

extension Custody {
  /// The next request about the records, if the stage needs one.
  mutating func advanceRecords(_ circumstances: Circumstances, at now: Instant) -> [Action] {
    guard let holding else { return [] }
    if holding.stage == .starting, holding.isFenced { return giveBack() }
    guard let follows = holding.follows else {
      if holding.hasRead || holding.claim.successorOf != nil { return ask() }
      // A claim that replaces no other is most often that of a job without records.
      self.holding?.follows = 0
      return advanceRecords(circumstances, at: now)
    }
    if holding.stage == .starting {
      guard let job = jobs[holding.claim.job] else { return giveBack() }
      if let (state, detail) = endWithoutStart(job, follows, circumstances, at: now) {
        var end = EndRecord(state, owner: member.name, nonce: holding.claim.nonce)
        end.detail = detail
        self.holding?.end = end
        self.holding?.stage = .ending
        return append(.ended(end), after: follows)
      }
      if settings.omits(.startRecord) { return begin(job, follows, at: now) }
      let start = StartRecord(
        owner: member.name, nonce: holding.claim.nonce, epoch: holding.claim.epoch
      )
      return append(.started(start), after: follows)
    }
    guard let end = holding.end else { return [] }
    return append(.ended(end), after: follows)
  }

  /// How the job ends without a chain of this claim; nil when the chain is to run.
  private func endWithoutStart(
    _ job: FleetJob, _ follows: Revision, _ circumstances: Circumstances, at now: Instant
  ) -> (state: EndState, detail: String)? {
    guard let holding, let queued = entry?.claimed(holding.claim) else { return nil }
    let isLate = holding.deadline <= now || !member.runs
    if queued.isArmed, !settings.omits(.armedCheck) {
      if job.rerun == .never || isLate || queued.isCancelled { return (.unknown, "") }
    }
    if queued.isCancelled { return (.cancelled, "") }
    guard isLate else { return nil }
    return follows == 0 ? circumstances.observers.reason(for: job) : (.expired, "")
  }

  private mutating func ask() -> [Action] {
    guard let holding else { return [] }
    let request = StoreRequest.last(.result(of: holding.claim.job))
    recordRequest = request
    self.holding?.retryAt = nil
    return [.perform(.record, request)]
  }

  private mutating func append(_ record: ResultRecord, after follows: Revision) -> [Action] {
    guard let holding else { return [] }
    let key = StoreKey.result(of: holding.claim.job)
    let request = StoreRequest.append(key, .record(record), expecting: follows)
    recordRequest = request
    return [.perform(.record, request)]
  }

  /// The chain may begin, unless the lease ended while its record was on its way.
  private mutating func begin(_ job: FleetJob, _ start: Revision, at now: Instant) -> [Action] {
    guard let holding else { return [] }
    self.holding?.start = start
    self.holding?.follows = start
    guard !holding.isFenced, mayBegin(at: now) else { return giveBack() }
    self.holding?.stage = .running
    return [journal(), .run(job, nonce: holding.claim.nonce)].compactMap(\.self)
  }

  // MARK: Answers

  mutating func recordAnswered(
    _ request: StoreRequest, _ answer: StoreAnswer, at now: Instant
  ) -> [Action] {
    guard let holding, case .result = request.key?.kind,
      request.key == .result(of: holding.claim.job)
    else { return [] }
    switch answer {
    case .applied(let revision):
      return recorded(revision, at: now)
    case .refused:
      self.holding?.follows = nil
      self.holding?.hasRead = true
      return []
    case .unknown:
      self.holding?.hasRead = true
      return ask()
    case .entries(let entries):
      guard case .record(let record)? = entries.first?.value, let entry = entries.first else {
        // Nothing yet, or a stale read.
        return retry(after: holding.start ?? 0, at: now)
      }
      return read(record, entry.revision, at: now)
    case .unavailable, .published:
      let due = now + settings.retryAfter
      self.holding?.retryAt = due
      return []
    }
  }

  private mutating func retry(after follows: Revision, at now: Instant) -> [Action] {
    holding?.follows = follows
    let due = now + settings.retryAfter
    holding?.retryAt = due
    return []
  }

  /// The record that was sent is stored.
  private mutating func recorded(_ revision: Revision, at now: Instant) -> [Action] {
    guard let holding else { return [] }
    if holding.stage == .starting, let job = jobs[holding.claim.job] {
      return begin(job, revision, at: now)
    }
    guard holding.stage == .ending, let end = holding.end else { return [] }
    return settle(end)
  }

  private mutating func settle(_ end: EndRecord?) -> [Action] {
    guard let holding else { return [] }
    self.holding?.isEndSettled = true
    self.holding?.stage = .releasing
    return [.ended(holding.claim.job, end)]
  }

  /// What a read shows to be the last record. It may be stale.
  private mutating func read(
    _ record: ResultRecord, _ revision: Revision, at now: Instant
  ) -> [Action] {
    guard let holding else { return [] }
    let isOwn = record.nonce == holding.claim.nonce
    switch (holding.stage, record) {
    case (.starting, .started) where isOwn:
      return recorded(revision, at: now)
    case (.starting, .started):
      return follow(revision, at: now)
    case (.starting, .ended):
      return settle(nil)
    case (.ending, .ended(let end)) where isOwn:
      return settle(end)
    case (.ending, .ended(let end)):
      let isBetter = end.state.isOpen && holding.end?.state.isOpen == false
      return isBetter && holding.start != nil ? follow(revision, at: now) : settle(nil)
    case (.ending, .started) where isOwn:
      return follow(revision, at: now)
    case (.ending, .started):
      if holding.start != nil { return settle(nil) }
      // The end was decided for a job without a start.
      self.holding?.stage = .starting
      self.holding?.end = nil
      return follow(revision, at: now)
    case (.running, _), (.waiting, _), (.releasing, _):
      return []
    }
  }

  /// The next record goes behind this one; later, when that was just tried.
  private mutating func follow(_ revision: Revision, at now: Instant) -> [Action] {
    guard let holding else { return [] }
    if holding.follows == revision { return retry(after: revision, at: now) }
    self.holding?.follows = revision
    return []
  }
}

extension StoreRequest {
  /// The entry or the subject of the request; nil for several.
  var key: StoreKey? {
    switch self {
    case .create(let key, _), .update(let key, _, _), .remove(let key, _),
      .append(let key, _, _), .last(let key), .publish(let key, _), .list(.one(let key)):
      key
    case .list(.all): nil
    }
  }
}
