// Who runs what on a device, and what waits for it.
//
// One entry for each device with work, changed only by compare-and-set, so that queue, claim and
// armed mark never disagree. An entry without jobs is removed.

import Jobs

/// A job in the queue of a device.
public struct QueuedJob: Equatable, Sendable {
  /// Which job.
  public let job: JobID
  /// Its submitter asked to cancel it.
  public var isCancelled = false
  /// An operation of it that is not idempotent may have begun. Never taken back.
  public var isArmed = false

  /// A job that has just been submitted.
  public init(_ job: JobID) { self.job = job }
}

/// Who may run the first job of the queue, and for how long without a renewal.
public struct Claim: Equatable, Sendable {
  /// The first job of the queue when the claim was made.
  public let job: JobID
  /// The gateway, or the submitter, that made the claim.
  public let owner: String
  /// What distinguishes this attempt to claim from all others.
  public let nonce: String
  /// The revision that the claim replaced. It rises with each claim of a device.
  public let epoch: Revision
  /// How long the claim holds after the request that made or renewed it was sent.
  public let lease: Duration
  /// How often the claim was renewed, unanswered attempts included.
  public var renewal = 0
  /// Whose claim this one replaced, because it was no longer renewed.
  public var successorOf: String?

  /// A claim without renewals.
  public init(
    job: JobID,
    owner: String,
    nonce: String,
    epoch: Revision,
    lease: Duration,
    successorOf: String? = nil
  ) {
    self.job = job
    self.owner = owner
    self.nonce = nonce
    self.epoch = epoch
    self.lease = lease
    self.successorOf = successorOf
  }
}

/// The state of a device in the store.
public struct DeviceEntry: Equatable, Sendable {
  /// How many jobs may wait for one device.
  public static let longestQueue = 64

  /// The jobs that have not ended, in order of submission.
  public var queue: [QueuedJob]
  /// Who runs the first of them; nil when nobody does.
  public var claim: Claim?

  /// An entry with these jobs.
  public init(queue: [QueuedJob], claim: Claim? = nil) {
    self.queue = queue
    self.claim = claim
  }

  /// The job that a claim is for.
  public func claimed(_ claim: Claim) -> QueuedJob? { queue.first { $0.job == claim.job } }

  /// The entry without the claim.
  func released() -> DeviceEntry { DeviceEntry(queue: queue) }

  /// The entry without the claim and its job.
  func finished(_ claim: Claim) -> DeviceEntry {
    DeviceEntry(queue: queue.filter { $0.job != claim.job })
  }

  /// The entry after the first operation of `claim` that is not idempotent was announced.
  func armed(_ claim: Claim) -> DeviceEntry {
    var entry = self
    for index in entry.queue.indices where entry.queue[index].job == claim.job {
      entry.queue[index].isArmed = true
    }
    return entry
  }
}

extension DeviceEntry: StoredForm {
  static let what = "the entry of a device"

  var members: [Member] {
    [
      ("queue", .array(queue.map { .object($0.members) })),
      ("claim", claim.map { .object($0.members) } ?? .null),
    ]
  }

  init?(_ reader: inout FormReader) {
    guard let queue = reader.list("queue", most: Self.longestQueue, QueuedJob.init) else {
      return nil
    }
    self.init(queue: queue, claim: reader.part("claim", Claim.init))
  }
}

extension QueuedJob: StoredPart {
  var members: [Member] {
    [
      ("job", .string(job.text)), ("cancelled", .boolean(isCancelled)),
      ("armed", .boolean(isArmed)),
    ]
  }

  init?(_ reader: inout FormReader) {
    let job = reader.job("job")
    let isCancelled = reader.truth("cancelled")
    let isArmed = reader.truth("armed")
    guard let job, let isCancelled, let isArmed else { return nil }
    self.init(job)
    self.isCancelled = isCancelled
    self.isArmed = isArmed
  }
}

extension Claim: StoredPart {
  var members: [Member] {
    [
      ("job", .string(job.text)), ("owner", .string(owner)), ("nonce", .string(nonce)),
      ("epoch", .number("\(epoch)")), ("lease", .duration(lease)),
      ("renewal", .number("\(renewal)")), ("successorOf", .text(successorOf)),
    ]
  }

  init?(_ reader: inout FormReader) {
    let job = reader.job("job")
    let owner = reader.name("owner")
    let nonce = reader.name("nonce")
    let epoch = reader.number("epoch")
    let lease = reader.duration("lease", FleetBounds.lease)
    let renewal = reader.number("renewal")
    let successorOf = reader.optionalName("successorOf")
    guard let job, let owner, let nonce, let epoch, let lease, let renewal else { return nil }
    self.init(
      job: job,
      owner: owner,
      nonce: nonce,
      epoch: Revision(epoch),
      lease: lease,
      successorOf: successorOf
    )
    self.renewal = renewal
  }
}
