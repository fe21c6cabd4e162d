// A claim while it is held: renewing it, permitting operations, stopping in time, releasing the device.
//
// The records of the job are in Custody+Records.swift, how a claim is made in Custody.swift.

import Signals

extension Custody {
  /// Whether this member has, or is about to make, a connection to the device. False from the end of
  /// the chain on, while its end is stored and the device is released.
  var needsConnection: Bool {
    switch holding?.stage {
    case .starting?, .running?, .waiting?: true
    case .ending?, .releasing?: false
    case nil: attempt != nil
    }
  }

  // MARK: The entry

  /// Handles a change of the entry by this member: a renewal or an armed mark.
  mutating func renewed(_ renewal: Int, at now: Instant) -> [Action] {
    if let sentAt = holding?.sent[renewal] {
      let from = settings.omits(.leaseFromSending) ? now : sentAt
      extendLease(to: from + settings.lease)
      let due = sentAt + settings.renewEvery
      holding?.nextRenewal = due
    }
    holding?.sent = [:]
    return armed(at: now)
  }

  private mutating func extendLease(to end: Instant) {
    guard let holding, !holding.isFenced else { return }
    self.holding?.leaseEnd = max(holding.leaseEnd, end)
  }

  /// Handles an entry that differs from the one this member wrote last.
  mutating func heldEntryChanged(at now: Instant) -> [Action] {
    guard let holding, let entry else { return [] }
    guard entry.claim?.nonce == holding.claim.nonce else {
      if holding.stage == .releasing { return released(at: now) }
      self.holding?.isFenced = true
      return stop(.replaced)
    }
    return entry.claim.map { renewed($0.renewal, at: now) } ?? []
  }

  /// Handles that the device is released, or claimed by another member.
  mutating func released(at now: Instant) -> [Action] {
    guard let holding else { return [] }
    if !holding.isEndSettled, holding.end != nil {
      // Only with the omission `endBeforeRelease`.
      self.holding?.stage = .ending
      return []
    }
    self.holding = nil
    readEntry(at: now)
    return [.forget(nonce: holding.claim.nonce)]
  }

  /// Forgets the contents of a store that was lost, and everything sent to it.
  ///
  /// The claim is not in the new store: its chain is stopped. How the job ended is recorded there
  /// once more, because the earlier record is lost with the store.
  mutating func storeReplaced(at now: Instant) -> [Action] {
    (entry, revision, changedAt) = (nil, 0, now)
    (attempt, abandoned, bid) = (nil, [], nil)
    (writing, recordRequest, isJobPending) = (nil, nil, false)
    let job = holding.flatMap { jobs[$0.claim.job] }
    jobs = job.map { [$0.id: $0] } ?? [:]
    firstSights = [:]
    readEntry(at: now)
    guard let holding else { return [] }
    self.holding?.isFenced = true
    self.holding?.lastRecord = 0
    self.holding?.retryAt = nil
    self.holding?.sent = [:]
    switch holding.stage {
    case .releasing where holding.end != nil:
      self.holding?.stage = .ending
      self.holding?.isEndSettled = false
    case .ending where holding.start == nil:
      // The lost store had not confirmed that no gateway began the job.
      self.holding?.end = nil
      return releaseUnfinished()
    case .starting, .running, .waiting, .ending, .releasing: break
    }
    return stop(.replaced)
  }

  // MARK: Due actions

  mutating func advanceHolding(_ circumstances: Circumstances, at now: Instant) -> [Action] {
    var actions = fence(at: now)
    if writing == nil { actions += writeEntry(at: now) }
    guard let holding else { return actions }
    switch holding.stage {
    case .starting, .ending:
      if let retry = holding.retryAt, retry > now {
        wake(at: retry)
      } else if recordRequest == nil {
        actions += advanceRecords(circumstances, at: now)
      }
    case .running:
      if holding.stopping == nil, holding.deadline <= now { actions += stop(.deadline) }
      if holding.stopping == nil { wake(at: holding.deadline) }
      if holding.stopping == nil, isCancelled { actions += stop(.cancelled) }
    case .waiting(let until):
      actions += advanceWaiting(until, at: now)
    case .releasing:
      break
    }
    if holding.stage != .releasing, self.holding?.stage == .releasing {
      // The stage became `releasing` after the entry was written above: advance once more.
      wake(at: now)
    }
    return actions
  }

  private var isCancelled: Bool {
    holding.flatMap { entry?.claimed($0.claim)?.isCancelled } ?? false
  }

  /// Stops the chain before the lease ends, and fences the claim when it has ended.
  private mutating func fence(at now: Instant) -> [Action] {
    guard let holding, !settings.omits(.leaseCheck), !holding.isFenced else { return [] }
    switch holding.stage {
    case .ending, .releasing: return []
    case .starting, .running, .waiting: break
    }
    if holding.leaseEnd <= now {
      self.holding?.isFenced = true
      if holding.stage != .running { return releaseUnfinished() }
      return stop(.leaseEnding)
    }
    let last = holding.leaseEnd + (.zero - settings.stopBefore)
    if holding.stage == .running {
      if last <= now { return stop(.leaseEnding) }
      wake(at: last)
    }
    wake(at: holding.leaseEnd)
    return []
  }

  /// Releases the device without ending its job, so that another member can run it.
  mutating func releaseUnfinished() -> [Action] {
    holding?.stage = .releasing
    holding?.isFenced = true
    return []
  }

  /// Stops the chain, unless it is already being stopped.
  mutating func stop(_ reason: StopReason) -> [Action] {
    guard let holding, holding.stopping == nil else { return [] }
    switch holding.stage {
    case .running:
      self.holding?.stopping = reason
      var actions: [Action] = []
      if let wanted = holding.wanted {
        self.holding?.wanted = nil
        actions.append(.refuse(step: wanted.step, nonce: holding.claim.nonce))
      }
      return actions + [.stop(nonce: holding.claim.nonce, reason)]
    case .starting, .waiting:
      return releaseUnfinished()
    case .ending, .releasing:
      return []
    }
  }

  private mutating func writeEntry(at now: Instant) -> [Action] {
    guard let holding, nextRead == nil else { return [] }
    let key = StoreKey.device(address)
    if holding.stage == .releasing { return release(holding) }
    guard let entry, entry.claim?.nonce == holding.claim.nonce, !holding.isFenced else { return [] }
    let mustArm = holding.wanted != nil && entry.claimed(holding.claim)?.isArmed == false
    guard mustArm || holding.nextRenewal <= now else {
      wake(at: holding.nextRenewal)
      return []
    }
    if settings.omits(.renewal), !mustArm {
      extendLease(to: now + settings.lease)
      let due = now + settings.renewEvery
      self.holding?.nextRenewal = due
      wake(at: due)
      return []
    }
    let renewal = max(holding.renewal, entry.claim?.renewal ?? 0) + 1
    var new = mustArm ? entry.armed(holding.claim) : entry
    new.claim?.renewal = renewal
    self.holding?.renewal = renewal
    self.holding?.sent[renewal] = now
    // If no reply comes, the next attempt is sent after `retryAfter`.
    let due = now + settings.retryAfter
    self.holding?.nextRenewal = due
    return write(.own(new, renewal: renewal), .update(key, .device(new), expecting: revision))
  }

  private mutating func release(_ holding: Holding) -> [Action] {
    guard let entry, entry.claim?.nonce == holding.claim.nonce else {
      if entry != nil { return released(at: changedAt) }
      readEntry(at: changedAt)
      return []
    }
    let isFinished = holding.isEndSettled || settings.omits(.endBeforeRelease)
    let new = isFinished ? entry.finished(holding.claim) : entry.released()
    let key = StoreKey.device(address)
    if new.queue.isEmpty {
      return write(.own(nil, renewal: nil), .remove(key, expecting: revision))
    }
    return write(.own(new, renewal: nil), .update(key, .device(new), expecting: revision))
  }

  // MARK: Waiting for a connection that another program holds

  private mutating func advanceWaiting(_ until: Instant, at now: Instant) -> [Action] {
    guard let holding, let job = jobs[holding.claim.job] else { return releaseUnfinished() }
    if isCancelled { return finish(.cancelled) }
    if holding.deadline <= now {
      let predecessor = holding.claim.successorOf.map { gateway in
        let time = holding.renewedAt.map {
          ", last renewed \(Int((now - $0) / .seconds(1))) s before"
        }
        return "held by gateway \(gateway)\(time ?? "")"
      }
      return finish(.held, detail: predecessor ?? Observers.held(by: member.name))
    }
    wake(at: holding.deadline)
    guard until <= now else {
      wake(at: until)
      return []
    }
    self.holding?.stage = .running
    return [.run(job, nonce: holding.claim.nonce)]
  }

  // MARK: The chain

  /// Handles the request of an operation to begin. An operation that is not idempotent is permitted
  /// only after the armed mark is stored.
  mutating func operationWanted(step: Int, isIdempotent: Bool, nonce: String, at now: Instant)
    -> [Action]
  {
    guard let holding, holding.claim.nonce == nonce, holding.stage == .running,
      holding.stopping == nil, mayBegin(at: now)
    else { return [.refuse(step: step, nonce: nonce)] }
    let open = Holding.Operation(step: step, isIdempotent: isIdempotent)
    if isIdempotent || entry?.claimed(holding.claim)?.isArmed == true { return permit(open) }
    self.holding?.wanted = open
    return settings.omits(.armedReply) ? permit(open) : []
  }

  /// Whether the lease allows a chain or an operation to begin now.
  func mayBegin(at now: Instant) -> Bool {
    guard let holding else { return false }
    return settings.omits(.leaseCheck) || (!holding.isFenced && now < holding.leaseEnd)
  }

  private mutating func permit(_ open: Holding.Operation) -> [Action] {
    guard let holding else { return [] }
    self.holding?.open = open
    self.holding?.step = open.step
    let permit = Action.permit(step: open.step, nonce: holding.claim.nonce)
    return open.isIdempotent ? [permit] : [journal(), permit].compactMap(\.self)
  }

  /// Permits the operation that waits for the armed mark, if the entry now has the mark.
  private mutating func armed(at now: Instant) -> [Action] {
    guard let holding, let wanted = holding.wanted,
      entry?.claimed(holding.claim)?.isArmed == true
    else { return [] }
    self.holding?.wanted = nil
    if holding.open?.step == wanted.step { return [] }
    guard holding.stopping == nil, mayBegin(at: now) else {
      return [.refuse(step: wanted.step, nonce: holding.claim.nonce)]
    }
    return permit(wanted)
  }

  /// Handles the end of an operation.
  mutating func operationEnded(step: Int, nonce: String, at now: Instant) -> [Action] {
    guard let holding, holding.claim.nonce == nonce, let open = holding.open,
      open.step == step
    else { return [] }
    if now >= holding.leaseEnd { self.holding?.overran = step }
    self.holding?.open = nil
    self.holding?.step = step + 1
    return open.isIdempotent ? [] : [journal()].compactMap(\.self)
  }

  /// Handles that a permitted operation did not begin, because its journal entry could not be written, or not
  /// in time: neither it nor a later one begins.
  mutating func operationNotBegun(_ reason: StopReason, nonce: String) -> [Action] {
    guard let holding, holding.claim.nonce == nonce, holding.stage == .running else { return [] }
    self.holding?.open = nil
    return stop(reason)
  }

  /// Handles that an entry or events of the chain could not be written to the journal.
  mutating func journalFailed(nonce: String) -> [Action] {
    guard let holding, holding.claim.nonce == nonce, holding.stage == .running else { return [] }
    return stop(.journal)
  }

  /// Stores the digest of the run's events so far, all of which are in the journal.
  mutating func reported(_ events: EventDigest, nonce: String) {
    if holding?.claim.nonce == nonce { holding?.events = events }
  }

  /// Handles the end of the chain; its connection is down.
  mutating func chainEnded(_ outcome: ChainOutcome, nonce: String, at now: Instant) -> [Action] {
    guard let holding, holding.claim.nonce == nonce, holding.stage == .running else { return [] }
    let isArmed = entry?.claimed(holding.claim)?.isArmed ?? true
    let isOpen = holding.open.map { !$0.isIdempotent } ?? false
    self.holding?.stopping = nil
    switch (outcome, holding.stopping) {
    case (.ok, _): return finish(.ok)
    case (.failed, .some) where isOpen: return finish(.unknown)
    case (.failed(let step), nil):
      self.holding?.step = step
      return finish(.failed)
    case (.held, nil) where !isArmed:
      let until = now + settings.announceEvery / 2
      self.holding?.stage = .waiting(until: until)
      self.holding?.open = nil
      return []
    case (.held, nil): return finish(.failed)
    case (.failed, .cancelled?), (.held, .cancelled?), (.stopped, .cancelled?):
      return finish(isOpen ? .unknown : .cancelled)
    case (.failed, .deadline?), (.held, .deadline?), (.stopped, .deadline?):
      return finish(isOpen ? .unknown : isArmed ? .interrupted : .expired)
    case (.failed, _), (.held, _), (.stopped, _):
      return isArmed ? finish(isOpen ? .unknown : .interrupted) : releaseUnfinished()
    }
  }

  /// Ends the job: its end goes to the journal first, then to the store; then the device is released.
  mutating func finish(_ state: EndState, detail: String = "") -> [Action] {
    guard let holding else { return [] }
    var end = EndRecord(
      state, owner: member.name, nonce: holding.claim.nonce,
      step: state == .ok ? nil : holding.step
    )
    end.overran = holding.overran
    (end.events, end.digest) = (holding.events.count, holding.events.text)
    end.detail = detail
    self.holding?.end = end
    let stage: Holding.Stage = settings.omits(.endBeforeRelease) ? .releasing : .ending
    self.holding?.stage = stage
    return [journal()].compactMap(\.self)
  }

  /// Returns the action that updates the journal; nil before the start is recorded.
  func journal() -> Action? {
    guard let holding, let start = holding.start else { return nil }
    var entry = JournalEntry(
      address: address, job: holding.claim.job, nonce: holding.claim.nonce, start: start
    )
    entry.isArmed = self.entry?.claimed(holding.claim)?.isArmed ?? true
    entry.step = holding.step
    entry.isOpen = holding.open.map { !$0.isIdempotent } ?? false
    entry.end = holding.end
    return .journal(entry)
  }
}
