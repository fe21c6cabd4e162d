// The decisions of a submitter: it queues jobs, announces them again and again, follows and cancels them,
// and ends those that no gateway began before their deadline.
//
// A pure value, as ``Gateway`` is. It never runs a chain.

import Bluetooth
public import Signals

/// The decisions of a submitter.
public struct Submitter: Sendable {
  /// An input.
  public enum Event: Sendable {
    /// The instant ``Submitter/next`` has come.
    case woken
    /// Submit a job with the text of its chain. Jobs of one device are queued in the order of these
    /// events.
    case submit(FleetJob, chain: String)
    /// Cancel a job. The gateway that holds the claim stops it; it has not ended before its end record.
    case cancel(JobID)
    /// Stop following a queued job. It still runs and ends, without this submitter.
    case left(JobID)
    /// The store has answered a request.
    case answered(RequestID, StoreAnswer)
    /// A record of a followed job was delivered.
    case record(JobID, ResultRecord)
    /// A gateway has reported its sightings.
    case sightings(SightingReport)
    /// The store has another identity than before: what it held is lost.
    case storeReplaced
  }

  /// An output, to be carried out by the shell.
  public enum Action: Equatable, Sendable {
    /// Send a request to the store, with the limit of the settings.
    case perform(RequestID, StoreRequest)
    /// Subscribe to the records of the job.
    case follow(JobID)
    /// The job is in the queue of its device. From now on it will end even without this submitter.
    case queued(JobID)
    /// The job has ended. Cancel the subscription to its records.
    case ended(JobID, EndRecord)
  }

  /// The number of reads after which a job that is neither queued nor ended counts as lost.
  private static let mostTimesMissing = 5

  private enum Stage { case gateways, chain, job, queue, following }

  private struct Submission {
    var job: FleetJob
    let chain: String
    var stage = Stage.gateways
    var pending: RequestID?
    var dueAt: Instant
    var isCancelWanted = false
    var isCancelStored = false
    /// Whether a request was sent that puts the job into the queue of its device.
    var mayBeQueued = false
    /// Whether the job may have been in the queue of a store that was lost: a gateway may have begun it.
    var isLost = false
    /// The number of reads, one after the other, that found the job neither queued nor ended.
    var timesMissing = 0
    /// The end of the job's patience, by this member's clock.
    let endsAt: Instant
    /// Whether the shell follows the records.
    var isFollowed = false
    /// The end of a job that waits behind another one, while it is being recorded.
    var ending: EndRecord?
    /// Whether the job has a record: it can no longer end without having begun.
    var hasRecord = false
    /// Whether the pending request reads the queue, not the records.
    var isReadingQueue = false

    /// The job as it is put into the queue of its device.
    var queued: QueuedJob {
      var queued = QueuedJob(job.id)
      queued.isArmed = isLost
      return queued
    }
  }

  private let member: Custody.Member
  private var submissions: [JobID: Submission] = [:]
  private var order: [JobID] = []
  /// The jobs of the requests that are not answered yet.
  private var asking: [RequestID: JobID] = [:]
  private var custodies: [BluetoothAddress: Custody] = [:]
  private var pending: [RequestID: (address: BluetoothAddress, slot: Custody.Slot)] = [:]
  private var reports: [String: (report: SightingReport, at: Instant)] = [:]
  private var directory = GatewayDirectory()
  /// The chains that are known to be stored.
  private var chains: Set<String> = []
  private var requests = 0

  /// The time to send the event ``Event/woken``, unless another event comes first.
  public private(set) var next: Instant?

  /// Creates a submitter without jobs.
  ///
  /// - Parameters:
  ///   - name: Its name; see ``StoreName``.
  ///   - incarnation: A text unique to this process; at most 32 characters.
  ///   - settings: The durations of the fleet.
  public init(name: String, incarnation: String, settings: FleetSettings) {
    precondition(StoreName.isValid(name) && incarnation.utf8.count <= 32, "see StoreName")
    member = Custody.Member(name: name, incarnation: incarnation, settings: settings, runs: false)
  }

  /// Whether every job has ended or is no longer followed, and this submitter holds no claim.
  public var isDone: Bool {
    submissions.isEmpty && custodies.values.allSatisfy { $0.holding == nil && $0.attempt == nil }
  }

  /// Handles one event.
  ///
  /// - Returns: The actions, in order. Sets ``next``.
  public mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    var actions: [Action] = []
    switch event {
    case .woken:
      for address in custodies.keys.sorted() { actions += with(address, at: now) }
    case .submit(let job, let chain):
      submissions[job.id] = Submission(
        job: job, chain: chain, dueAt: now, endsAt: now + job.deadline
      )
      order.append(job.id)
    case .cancel(let job):
      submissions[job]?.isCancelWanted = true
      if submissions[job]?.stage == .following { submissions[job]?.dueAt = now }
    case .left(let job):
      guard submissions[job]?.stage == .following else { break }
      submissions[job] = nil
      order.removeAll { $0 == job }
    case .answered(let id, let answer):
      actions += answered(id, answer, at: now)
    case .record(let job, let record):
      actions += apply(record, of: job)
    case .sightings(let report):
      reports[report.gateway] = (report, now)
    case .storeReplaced:
      actions += storeReplaced(at: now)
    }
    for job in order { actions += advance(job, at: now) }
    next =
      (order.compactMap { submissions[$0] }.filter { $0.pending == nil }.map(\.dueAt)
      + custodies.values.compactMap(\.next)).min()
    return actions
  }

  /// Submits all jobs again, in their order.
  ///
  /// Jobs that were queued in the lost store are queued as armed: gateways end them as `unknown`,
  /// or as recorded in their journal, and run them again only if that is allowed.
  private mutating func storeReplaced(at now: Instant) -> [Action] {
    (asking, pending, chains) = ([:], [:], [])
    directory = GatewayDirectory()
    // The gateways have to write their entries again first: they name the bonds.
    for job in order { resubmit(job, at: now + member.settings.entryEvery) }
    var actions: [Action] = []
    for address in custodies.keys.sorted() {
      actions += with(address, at: now) { custody in custody.storeReplaced(at: now) }
    }
    return actions
  }

  /// Submits a job again that the store has lost.
  private mutating func resubmit(_ id: JobID, at due: Instant) {
    guard let submission = submissions[id] else { return }
    submissions[id]?.isLost = submission.mayBeQueued && !member.settings.omits(.lostMark)
    submissions[id]?.stage = .gateways
    submissions[id]?.pending = nil
    submissions[id]?.dueAt = due
    submissions[id]?.timesMissing = 0
    submissions[id]?.ending = nil
    submissions[id]?.hasRecord = false
    submissions[id]?.isCancelStored = false
    submissions[id]?.isReadingQueue = false
    // The remaining patience, in the milliseconds that the store has.
    let left = Duration.milliseconds(Int64((submission.endsAt - due) / .milliseconds(1)))
    submissions[id]?.job.deadline = max(FleetBounds.deadline.lowerBound, left)
  }

  // MARK: Jobs

  private mutating func perform(_ request: StoreRequest, for job: JobID) -> [Action] {
    requests += 1
    let id = RequestID(number: requests)
    submissions[job]?.pending = id
    asking[id] = job
    return [.perform(id, request)]
  }

  private mutating func advance(_ id: JobID, at now: Instant) -> [Action] {
    guard let submission = submissions[id], submission.pending == nil, submission.dueAt <= now
    else { return [] }
    switch submission.stage {
    case .gateways:
      // The job must name the gateway with the bond before any gateway can claim it.
      guard directory.isCurrent(at: now) else {
        submissions[id]?.dueAt = now + member.settings.retryAfter
        if directory.pendingRead != nil { return [] }
        let read = perform(.list(.all(.gateway)), for: id)
        directory.pendingRead = submissions[id]?.pending
        return read
      }
      let bond = submission.job.bond ?? bond(of: submission.job, at: now)
      submissions[id]?.job.bond = bond
      submissions[id]?.stage = .chain
      return advance(id, at: now)
    case .chain:
      if chains.contains(submission.job.chain) {
        submissions[id]?.stage = .job
        return advance(id, at: now)
      }
      return perform(
        .create(StoreKey(.chain, submission.job.chain), .chain(submission.chain)), for: id
      )
    case .job:
      return perform(.create(.job(id), .job(submission.job)), for: id)
    case .queue:
      // Wait for the earlier jobs of the same device, to keep their order.
      let earlier = order.prefix { $0 != id }
      let isFirst = !earlier.contains { other in
        submissions[other].map { $0.job.device == submission.job.device && $0.stage != .following }
          ?? false
      }
      guard isFirst else {
        submissions[id]?.dueAt = now + member.settings.retryAfter
        return []
      }
      return perform(.list(.one(.device(submission.job.device))), for: id)
    case .following:
      submissions[id]?.dueAt = now + member.settings.announceEvery
      if submission.endsAt > now {
        submissions[id]?.dueAt = min(now + member.settings.announceEvery, submission.endsAt)
      }
      if let ending = endBehindOthers(submission, at: now) { return ending }
      requests += 1
      let announcement = StoreRequest.publish(
        .announcement(of: submission.job.device), .announcement
      )
      var actions: [Action] = [.perform(RequestID(number: requests), announcement)]
      actions += with(submission.job.device, readingEntry: true, at: now)
      let cancels = submission.isCancelWanted && !submission.isCancelStored
      submissions[id]?.isReadingQueue = cancels
      return actions
        + perform(
          cancels ? .list(.one(.device(submission.job.device))) : .last(.result(of: id)), for: id
        )
    }
  }

  private mutating func answered(
    _ id: RequestID, _ answer: StoreAnswer, at now: Instant
  ) -> [Action] {
    if let (address, slot) = pending.removeValue(forKey: id) {
      return with(address, at: now) { custody in custody.answered(slot, answer, at: now) }
    }
    guard let job = asking.removeValue(forKey: id) else { return [] }
    // Other jobs wait for this answer, too, even if the one that asked has ended meanwhile.
    if directory.pendingRead == id { read(answer, at: now) }
    guard let submission = submissions[job], submission.pending == id else { return [] }
    submissions[job]?.pending = nil
    switch submission.stage {
    case .gateways: return []
    case .chain, .job:
      switch answer {
      case .applied, .refused:
        if submission.stage == .chain { chains.insert(submission.job.chain) }
        // Refused: it exists already, and a digest or a job ID always has the same value.
        submissions[job]?.stage = submission.stage == .chain ? .job : .queue
      case .unknown, .unavailable, .unreadable, .entries, .published:
        submissions[job]?.dueAt = now + member.settings.retryAfter
      }
      return []
    case .queue:
      return queueing(submission, answer, at: now)
    case .following:
      return following(submission, answer, at: now)
    }
  }

  /// Handles the answer to the read of the gateways, for all jobs that wait for it.
  private mutating func read(_ answer: StoreAnswer, at now: Instant) {
    directory.pendingRead = nil
    guard case .entries(let entries) = answer else { return }
    directory = GatewayDirectory(entries, at: now)
    for job in order where submissions[job]?.stage == .gateways { submissions[job]?.dueAt = now }
  }

  private mutating func queueing(
    _ submission: Submission, _ answer: StoreAnswer, at now: Instant
  ) -> [Action] {
    let id = submission.job.id
    switch answer {
    case .applied:
      return queued(id, at: now)
    case .refused:
      return []
    case .unknown, .unavailable, .published:
      // The first request may have been applied. If the job has run by then and is queued again, its
      // records show that it has ended, and it does not begin.
      submissions[id]?.dueAt = now + member.settings.retryAfter
      return []
    case .entries(let entries):
      return enqueue(submission, entries.first, at: now)
    case .unreadable(let problem):
      // The queue of this device is unreadable; nothing has begun.
      return end(id, submission.mayBeQueued ? .unknown : .expired, "\(problem)")
    }
  }

  private mutating func enqueue(
    _ submission: Submission, _ found: StoreEntry?, at now: Instant
  ) -> [Action] {
    let id = submission.job.id
    let key = StoreKey.device(submission.job.device)
    guard case .device(let entry)? = found?.value, let found else {
      submissions[id]?.mayBeQueued = true
      return perform(.create(key, .device(DeviceEntry(queue: [submission.queued]))), for: id)
    }
    if let index = entry.queue.firstIndex(where: { $0.job == id }) {
      guard submission.isLost, !entry.queue[index].isArmed else { return queued(id, at: now) }
      // The store was set back, and may have lost the mark.
      var new = entry
      new.queue[index].isArmed = true
      return perform(.update(key, .device(new), expecting: found.revision), for: id)
    }
    guard entry.queue.count < DeviceEntry.longestQueue else {
      submissions[id]?.dueAt = now + member.settings.announceEvery
      return []
    }
    submissions[id]?.mayBeQueued = true
    var new = entry
    new.queue.append(submission.queued)
    return perform(.update(key, .device(new), expecting: found.revision), for: id)
  }

  private mutating func queued(_ id: JobID, at now: Instant) -> [Action] {
    submissions[id]?.stage = .following
    submissions[id]?.dueAt = now
    guard submissions[id]?.isFollowed == false else { return [] }
    submissions[id]?.isFollowed = true
    return [.queued(id), .follow(id)]
  }

  private mutating func following(
    _ submission: Submission, _ answer: StoreAnswer, at now: Instant
  ) -> [Action] {
    let id = submission.job.id
    submissions[id]?.isReadingQueue = false
    if let end = submission.ending { return recordedEnd(end, of: submission, answer, at: now) }
    switch answer {
    case .entries(let entries):
      switch entries.first?.value {
      case .record(let record)?: return apply(record, of: id)
      case .device(let entry)?:
        guard let index = entry.queue.firstIndex(where: { $0.job == id }),
          let revision = entries.first?.revision
        else { return perform(.last(.result(of: id)), for: id) }
        if entry.queue[index].isCancelled {
          submissions[id]?.isCancelStored = true
          return []
        }
        var new = entry
        new.queue[index].isCancelled = true
        let key = StoreKey.device(submission.job.device)
        return perform(.update(key, .device(new), expecting: revision), for: id)
      case nil where submission.isReadingQueue: return perform(.last(.result(of: id)), for: id)
      case nil:
        foundNoRecord(of: submission, at: now)
        return []
      case .job?, .chain?, .gateway?, .sweep?, .events?, .eventsWanted?, .sightings?,
        .announcement?:
        return []
      }
    case .applied:
      submissions[id]?.isCancelStored = true
      submissions[id]?.dueAt = now
    case .refused, .unknown:
      submissions[id]?.dueAt = now + member.settings.retryAfter
    case .unreadable(let problem):
      return end(id, .unknown, "\(problem)")
    case .unavailable, .published:
      break
    }
    return []
  }

  /// Ends a job that waits behind another one, when its patience has ended or it is cancelled.
  ///
  /// Its end is recorded as its first record, so it is certain that it has not begun. A job at the head
  /// of the queue is ended with a claim instead.
  ///
  /// - Returns: The request; nil when the job is not behind another one, or nothing ends it.
  private mutating func endBehindOthers(_ submission: Submission, at now: Instant) -> [Action]? {
    let id = submission.job.id
    guard submission.isCancelWanted || submission.endsAt <= now, !submission.hasRecord,
      let queue = custodies[submission.job.device]?.entry?.queue, let head = queue.first,
      let own = queue.dropFirst().first(where: { $0.job == id })
    else { return nil }
    let state: EndState =
      own.isArmed ? .unknown : submission.isCancelWanted ? .cancelled : .expired
    let key = StoreKey.device(submission.job.device)
    var end = EndRecord(
      state, owner: member.name, nonce: "\(member.incarnation)-\(key.name)-\(requests)"
    )
    end.detail = "job \(head.job) was before it in the queue of the device"
    submissions[id]?.ending = end
    return perform(.append(.result(of: id), .record(.ended(end)), expecting: 0), for: id)
  }

  /// Handles the answer to the request of ``endBehindOthers(_:at:)``.
  private mutating func recordedEnd(
    _ end: EndRecord, of submission: Submission, _ answer: StoreAnswer, at now: Instant
  ) -> [Action] {
    let id = submission.job.id
    submissions[id]?.ending = nil
    switch answer {
    case .applied:
      return removeFromQueue(submission) + apply(.ended(end), of: id)
    case .refused:
      submissions[id]?.hasRecord = true
      submissions[id]?.dueAt = now
    case .unknown, .unavailable, .unreadable, .entries, .published:
      submissions[id]?.dueAt = now + member.settings.retryAfter
    }
    return []
  }

  /// Removes an ended job from the queue. If that fails, the gateway that finds it at the head does it.
  private mutating func removeFromQueue(_ submission: Submission) -> [Action] {
    let address = submission.job.device
    guard let custody = custodies[address], var entry = custody.entry else { return [] }
    entry.queue.removeAll { $0.job == submission.job.id }
    requests += 1
    let update = StoreRequest.update(
      .device(address), .device(entry), expecting: custody.revision
    )
    return [.perform(RequestID(number: requests), update)]
  }

  /// Ends a job for this submitter alone, because the store cannot tell how it ends.
  private mutating func end(_ id: JobID, _ state: EndState, _ detail: String) -> [Action] {
    var end = EndRecord(state, owner: member.name, nonce: member.name)
    end.detail = String(detail.prefix(FleetBounds.detail / 4))
    return apply(.ended(end), of: id)
  }

  /// Handles that a job has no record yet. If it is not queued either, for so long that no read can be
  /// stale, its entry was removed from the store: submit it again.
  private mutating func foundNoRecord(of submission: Submission, at now: Instant) {
    let id = submission.job.id
    let queue = custodies[submission.job.device]?.entry?.queue ?? []
    let times = queue.contains { $0.job == id } ? 0 : submission.timesMissing + 1
    submissions[id]?.timesMissing = times
    if times >= Self.mostTimesMissing { resubmit(id, at: now) }
  }

  private mutating func apply(_ record: ResultRecord, of job: JobID) -> [Action] {
    guard let end = record.end, submissions.removeValue(forKey: job) != nil else { return [] }
    order.removeAll { $0 == job }
    return [.ended(job, end)]
  }

  // MARK: Custodies

  private mutating func with(
    _ address: BluetoothAddress, readingEntry: Bool = false, at now: Instant,
    _ change: (inout Custody) -> [Custody.Action] = { _ in [] }
  ) -> [Action] {
    var custody = custodies[address] ?? Custody(address, member: member)
    if readingEntry { custody.readEntry(at: now) }
    var actions = change(&custody)
    let circumstances = circumstances(of: custody, at: now)
    for _ in 0..<4 {
      let more = custody.advance(circumstances, at: now)
      actions += more
      if more.isEmpty, custody.next.map({ $0 > now }) ?? true { break }
    }
    let isOwn = submissions.values.contains { $0.job.device == address }
    let isBusy = custody.holding != nil || custody.attempt != nil || custody.writing != nil
    custodies[address] = isOwn || isBusy ? custody : nil
    return actions.flatMap { translated($0, address) }
  }

  private mutating func translated(
    _ action: Custody.Action, _ address: BluetoothAddress
  ) -> [Action] {
    switch action {
    case .perform(let slot, let request):
      requests += 1
      let id = RequestID(number: requests)
      pending[id] = (address, slot)
      return [.perform(id, request)]
    case .ended(let job, let end):
      return end.map { apply(.ended($0), of: job) } ?? []
    case .run, .permit, .refuse, .stop, .journal, .forget:
      // A submitter runs no chain, so these never occur.
      return []
    }
  }

  // MARK: Gateways

  /// Returns the gateways that have reported recently, and how they observe a device.
  private func listeners(_ address: BluetoothAddress, at now: Instant) -> [Observers.Listener] {
    let present = reports.filter { now - $0.value.at <= member.settings.sightingAge }
    return present.keys.sorted().map { name in
      let sighting = present[name]?.report.sightings.first { $0.address == address }
      return Observers.Listener(
        gateway: name, rssi: sighting?.rssi,
        isHolding: present[name]?.report.held.contains(address) ?? false,
        entry: directory.entries[name]
      )
    }
  }

  private func circumstances(of custody: Custody, at now: Instant) -> Custody.Circumstances {
    var circumstances = Custody.Circumstances()
    circumstances.requests = requests
    // Only a job that is being ended needs the listeners. Searching the reports of a thousand gateways
    // for every event would be slow.
    if custody.holding != nil {
      circumstances.observers.listeners = listeners(custody.address, at: now)
    }
    return circumstances
  }

  /// Returns the gateway with the bond. If there are several: the pinned or preferred one, else the one
  /// with the greatest RSSI.
  private func bond(of job: FleetJob, at now: Instant) -> String? {
    let bonded = directory.entries.filter { $0.value.bonds.contains(job.device) }.keys.sorted()
    if let wish = [job.pin, job.prefer].compactMap(\.self).first(where: bonded.contains) {
      return wish
    }
    let observing = listeners(job.device, at: now).filter { bonded.contains($0.gateway) }
    let best = observing.max { ($0.rssi ?? .min) < ($1.rssi ?? .min) }
    return best?.gateway ?? bonded.first
  }
}

/// The entries of all gateways, as last read.
private struct GatewayDirectory: Sendable {
  /// The time for which a read stays valid for further jobs.
  private static let age = Duration.seconds(5)

  private(set) var entries: [String: GatewayEntry] = [:]
  private var readAt: Instant?
  /// The read that has not been answered yet.
  var pendingRead: RequestID?

  init() {}

  init(_ found: [StoreEntry], at now: Instant) {
    for case (let key, .gateway(let entry)) in found.map({ ($0.key, $0.value) }) {
      entries[key.name] = entry
    }
    readAt = now
  }

  func isCurrent(at now: Instant) -> Bool { readAt.map { now - $0 <= Self.age } ?? false }
}
