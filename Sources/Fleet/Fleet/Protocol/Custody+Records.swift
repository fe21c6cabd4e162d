// The records of the claimed job: the start, without which no chain begins, and the end.
//
// Each append names the record that it expects to be the last. So a stale read or a late request cannot
// make a second start or a second end of one claim.

import Signals

extension Custody {
  /// Returns the next request about the records, if the stage needs one.
  mutating func advanceRecords(_ circumstances: Circumstances, at now: Instant) -> [Action] {
    guard let holding else { return [] }
    if holding.stage == .starting, holding.isFenced { return releaseUnfinished() }
    guard let lastRecord = holding.lastRecord else {
      if holding.hasRead || holding.claim.successorOf != nil { return readRecords() }
      // Nearly always right for a claim that replaces no other; if not, the append is refused.
      self.holding?.lastRecord = 0
      return advanceRecords(circumstances, at: now)
    }
    if holding.stage == .starting {
      guard let job = jobs[holding.claim.job] else { return releaseUnfinished() }
      if let (state, detail) = endWithoutStart(job, lastRecord, circumstances, at: now) {
        var end = EndRecord(state, owner: member.name, nonce: holding.claim.nonce)
        end.detail = detail
        self.holding?.end = end
        self.holding?.stage = .ending
        return append(.ended(end), after: lastRecord)
      }
      if settings.omits(.startRecord) { return begin(job, lastRecord, at: now) }
      let start = StartRecord(
        owner: member.name, nonce: holding.claim.nonce, epoch: holding.claim.epoch
      )
      return append(.started(start), after: lastRecord)
    }
    guard let end = holding.end else { return [] }
    return append(.ended(end), after: lastRecord)
  }

  /// Returns how the job ends without running its chain; nil when the chain has to run.
  private func endWithoutStart(
    _ job: FleetJob, _ lastRecord: Revision, _ circumstances: Circumstances, at now: Instant
  ) -> (state: EndState, detail: String)? {
    guard let holding, let queued = entry?.claimed(holding.claim) else { return nil }
    let isLate = holding.deadline <= now || !member.runs
    if queued.isArmed, !settings.omits(.armedCheck) {
      if job.rerun == .never || isLate || queued.isCancelled { return (.unknown, "") }
    }
    if queued.isCancelled { return (.cancelled, "") }
    guard isLate else { return nil }
    return lastRecord == 0 ? circumstances.observers.reason(for: job) : (.expired, "")
  }

  private mutating func readRecords() -> [Action] {
    guard let holding else { return [] }
    let request = StoreRequest.last(.result(of: holding.claim.job))
    recordRequest = request
    self.holding?.retryAt = nil
    return [.perform(.record, request)]
  }

  private mutating func append(_ record: ResultRecord, after lastRecord: Revision) -> [Action] {
    guard let holding else { return [] }
    let key = StoreKey.result(of: holding.claim.job)
    let request = StoreRequest.append(key, .record(record), expecting: lastRecord)
    recordRequest = request
    self.holding?.lastTried = lastRecord
    return [.perform(.record, request)]
  }

  /// Begins the chain, unless the lease ended while the start was being recorded.
  private mutating func begin(_ job: FleetJob, _ start: Revision, at now: Instant) -> [Action] {
    guard let holding else { return [] }
    self.holding?.start = start
    self.holding?.lastRecord = start
    guard !holding.isFenced, mayBegin(at: now) else { return releaseUnfinished() }
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
      self.holding?.lastRecord = nil
      self.holding?.hasRead = true
      return []
    case .unknown:
      self.holding?.hasRead = true
      return readRecords()
    case .entries(let entries):
      guard case .record(let record)? = entries.first?.value, let entry = entries.first else {
        // No record yet, a stale read, or a store that has lost the start. An append tells which: the
        // start was refused, so try without a record next.
        let isLost = holding.lastTried == holding.start
        return retry(after: isLost ? 0 : holding.start ?? 0, at: now)
      }
      return read(record, entry.revision, at: now)
    case .unreadable:
      // No record can be appended behind this one: remove the job from the queue.
      return settleEnd(nil)
    case .unavailable, .published:
      let due = now + settings.retryAfter
      self.holding?.retryAt = due
      return []
    }
  }

  private mutating func retry(after lastRecord: Revision, at now: Instant) -> [Action] {
    holding?.lastRecord = lastRecord
    let due = now + settings.retryAfter
    holding?.retryAt = due
    return []
  }

  /// Handles that the sent record is stored.
  private mutating func recorded(_ revision: Revision, at now: Instant) -> [Action] {
    guard let holding else { return [] }
    if holding.stage == .starting, let job = jobs[holding.claim.job] {
      return begin(job, revision, at: now)
    }
    guard holding.stage == .ending, let end = holding.end else { return [] }
    return settleEnd(end)
  }

  private mutating func settleEnd(_ end: EndRecord?) -> [Action] {
    guard let holding else { return [] }
    self.holding?.isEndSettled = true
    if end == nil { self.holding?.end = nil }
    self.holding?.stage = .releasing
    return [.ended(holding.claim.job, end)]
  }

  /// Handles the last record as a read returned it, which may be stale.
  private mutating func read(
    _ record: ResultRecord, _ revision: Revision, at now: Instant
  ) -> [Action] {
    guard let holding else { return [] }
    let isOwn = record.nonce == holding.claim.nonce
    switch (holding.stage, record) {
    case (.starting, .started) where isOwn:
      return recorded(revision, at: now)
    case (.starting, .started):
      return appendAfter(revision, at: now)
    case (.starting, .ended):
      return settleEnd(nil)
    case (.ending, .ended(let end)) where isOwn:
      return settleEnd(end)
    case (.ending, .ended(let end)):
      let isBetter = end.state.isOpen && holding.end?.state.isOpen == false
      return isBetter && holding.start != nil ? appendAfter(revision, at: now) : settleEnd(nil)
    case (.ending, .started) where isOwn:
      return appendAfter(revision, at: now)
    case (.ending, .started):
      if holding.start != nil { return settleEnd(nil) }
      // The end assumed that no gateway had started the job, but one has: decide again.
      self.holding?.stage = .starting
      self.holding?.end = nil
      return appendAfter(revision, at: now)
    case (.running, _), (.waiting, _), (.releasing, _):
      return []
    }
  }

  /// Appends the next record after this one; after a pause if that was just refused.
  private mutating func appendAfter(_ revision: Revision, at now: Instant) -> [Action] {
    guard let holding else { return [] }
    if holding.lastRecord == revision { return retry(after: revision, at: now) }
    self.holding?.lastRecord = revision
    return []
  }
}

extension StoreRequest {
  /// The entry or subject of the request; nil for a list of all keys of a kind.
  var key: StoreKey? {
    switch self {
    case .create(let key, _), .update(let key, _, _), .remove(let key, _),
      .append(let key, _, _), .last(let key), .publish(let key, _), .list(.one(let key)):
      key
    case .list(.all): nil
    }
  }
}
