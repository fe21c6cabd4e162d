// Whoever submits jobs: queues them, announces them again, follows them, cancels them, and ends what
// no gateway began before its deadline.
//
// A pure value, as the gateway is.

import Bluetooth
public import Signals

/// The decisions of a submitter.
public struct Submitter: Sendable {
  /// What happens to a submitter.
  public enum Event: Sendable {
    /// The time has come that ``Submitter/next`` named.
    case woken
    /// A job is to be done. Jobs of one device are queued in the order of these events.
    case submit(FleetJob, chain: String)
    /// A job is to be cancelled: a request that its owner obeys.
    case cancel(JobID)
    /// A job that is queued is of no interest any more: it ends without this submitter.
    case left(JobID)
    /// The store has answered.
    case answered(RequestID, StoreAnswer)
    /// A record of a followed job was delivered.
    case record(JobID, ResultRecord)
    /// A gateway reports what it observes.
    case sightings(SightingReport)
  }

  /// What a submitter has to do.
  public enum Action: Equatable, Sendable {
    /// Send a request to the store, with the limit of the settings.
    case perform(RequestID, StoreRequest)
    /// Records of the job are of interest from now on.
    case follow(JobID)
    /// The job is in the queue of its device: it will end, whatever becomes of this submitter.
    case queued(JobID)
    /// The job has ended; its records are no longer of interest.
    case ended(JobID, EndRecord)
  }

  private enum Stage { case gateways, chain, job, queue, following }

  private struct Submission {
    var job: FleetJob
    let chain: String
    var stage = Stage.gateways
    var pending: RequestID?
    var dueAt: Instant
    var isCancelWanted = false
    var isCancelStored = false
    /// The pending request is about the queue, not about the records.
    var isAskingQueue = false
  }

  let member: Custody.Member
  private var submissions: [JobID: Submission] = [:]
  private var order: [JobID] = []
  /// The jobs whose requests have no answer yet.
  private var asking: [RequestID: JobID] = [:]
  private var custodies: [BluetoothAddress: Custody] = [:]
  private var pending: [RequestID: (address: BluetoothAddress, slot: Custody.Slot)] = [:]
  var reports: [String: (report: SightingReport, at: Instant)] = [:]
  var directory = GatewayDirectory()
  /// The chains that are known to be stored.
  private var chains: Set<String> = []
  var requests = 0

  /// When an event ``Event/woken`` is needed, unless another event comes first.
  public private(set) var next: Instant?

  /// A submitter without jobs.
  ///
  /// - Parameters:
  ///   - name: Its name; see ``StoreName``.
  ///   - incarnation: What distinguishes this process from all others; at most 32 characters.
  ///   - settings: The durations of the fleet.
  public init(name: String, incarnation: String, settings: FleetSettings) {
    precondition(StoreName.isValid(name) && incarnation.utf8.count <= 32, "see StoreName")
    member = Custody.Member(name: name, incarnation: incarnation, settings: settings, runs: false)
  }

  /// Whether every job has ended, and nothing of it is left to this submitter.
  public var isDone: Bool {
    submissions.isEmpty && custodies.values.allSatisfy { $0.holding == nil && $0.attempt == nil }
  }

  /// Handles one event.
  ///
  /// - Returns: What to do, in order. ``next`` is set.
  public mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    var actions: [Action] = []
    switch event {
    case .woken:
      for address in custodies.keys.sorted() { actions += with(address, at: now) }
    case .submit(let job, let chain):
      submissions[job.id] = Submission(job: job, chain: chain, dueAt: now)
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
      actions += take(record, of: job)
    case .sightings(let report):
      reports[report.gateway] = (report, now)
    }
    for job in order { actions += advance(job, at: now) }
    next =
      (order.compactMap { submissions[$0] }.filter { $0.pending == nil }.map(\.dueAt)
      + custodies.values.compactMap(\.next)).min()
    return actions
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
      // Where the bond is has to be known before a gateway claims.
      guard directory.isCurrent(at: now) else {
        submissions[id]?.dueAt = now + member.settings.retryAfter
        if directory.isAsked { return [] }
        directory.isAsked = true
        return perform(.list(.all(.gateway)), for: id)
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
      // Jobs of one device are queued in their order.
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
      requests += 1
      let announcement = StoreRequest.publish(
        .announcement(of: submission.job.device), .announcement
      )
      var actions: [Action] = [.perform(RequestID(number: requests), announcement)]
      actions += with(submission.job.device, looking: true, at: now)
      let cancels = submission.isCancelWanted && !submission.isCancelStored
      submissions[id]?.isAskingQueue = cancels
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
    guard let job = asking.removeValue(forKey: id), let submission = submissions[job],
      submission.pending == id
    else { return [] }
    submissions[job]?.pending = nil
    switch submission.stage {
    case .gateways:
      directory.isAsked = false
      guard case .entries(let entries) = answer else { return [] }
      directory = GatewayDirectory(entries, at: now)
      for other in order where submissions[other]?.stage == .gateways {
        submissions[other]?.dueAt = now
      }
      return []
    case .chain, .job:
      switch answer {
      case .applied, .refused:
        if submission.stage == .chain { chains.insert(submission.job.chain) }
        // What exists under the digest or the identity is the same.
        submissions[job]?.stage = submission.stage == .chain ? .job : .queue
      case .unknown, .unavailable, .entries, .published:
        submissions[job]?.dueAt = now + member.settings.retryAfter
      }
      return []
    case .queue:
      return queueing(submission, answer, at: now)
    case .following:
      return following(submission, answer, at: now)
    }
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
      // A job that was queued, ran and is queued again is found to have ended before it begins.
      submissions[id]?.dueAt = now + member.settings.retryAfter
      return []
    case .entries(let entries):
      return enqueue(submission, entries.first, at: now)
    }
  }

  private mutating func enqueue(
    _ submission: Submission, _ found: StoreEntry?, at now: Instant
  ) -> [Action] {
    let id = submission.job.id
    let key = StoreKey.device(submission.job.device)
    guard case .device(let entry)? = found?.value, let found else {
      return perform(.create(key, .device(DeviceEntry(queue: [QueuedJob(id)]))), for: id)
    }
    if entry.queue.contains(where: { $0.job == id }) { return queued(id, at: now) }
    guard entry.queue.count < DeviceEntry.longestQueue else {
      submissions[id]?.dueAt = now + member.settings.announceEvery
      return []
    }
    var new = entry
    new.queue.append(QueuedJob(id))
    return perform(.update(key, .device(new), expecting: found.revision), for: id)
  }

  private mutating func queued(_ id: JobID, at now: Instant) -> [Action] {
    submissions[id]?.stage = .following
    submissions[id]?.dueAt = now
    return [.queued(id), .follow(id)]
  }

  private mutating func following(
    _ submission: Submission, _ answer: StoreAnswer, at now: Instant
  ) -> [Action] {
    let id = submission.job.id
    submissions[id]?.isAskingQueue = false
    switch answer {
    case .entries(let entries):
      switch entries.first?.value {
      case .record(let record)?: return take(record, of: id)
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
      case nil:
        return submission.isAskingQueue ? perform(.last(.result(of: id)), for: id) : []
      case .job?, .chain?, .gateway?, .sweep?, .events?, .eventsWanted?, .sightings?,
        .announcement?:
        return []
      }
    case .applied:
      submissions[id]?.isCancelStored = true
      submissions[id]?.dueAt = now
    case .refused, .unknown:
      submissions[id]?.dueAt = now + member.settings.retryAfter
    case .unavailable, .published:
      break
    }
    return []
  }

  private mutating func take(_ record: ResultRecord, of job: JobID) -> [Action] {
    guard let end = record.end, submissions.removeValue(forKey: job) != nil else { return [] }
    order.removeAll { $0 == job }
    return [.ended(job, end)]
  }

  // MARK: Custodies

  private mutating func with(
    _ address: BluetoothAddress, looking: Bool = false, at now: Instant,
    _ change: (inout Custody) -> [Custody.Action] = { _ in [] }
  ) -> [Action] {
    var custody = custodies[address] ?? Custody(address, member: member)
    if looking { custody.look(at: now) }
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
      return end.map { take(.ended($0), of: job) } ?? []
    case .run, .permit, .refuse, .stop, .journal, .forget:
      // A submitter begins no chain.
      return []
    }
  }
}
