// Who runs what on a device, and what waits for it.
//
// One entry for each device with work, changed only by compare-and-set, so that queue, claim and
// armed mark never disagree. An entry without jobs is removed.

package import Jobs

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
    job: JobID, owner: String, nonce: String, epoch: Revision, lease: Duration,
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

extension DeviceEntry: StoredForm, JSONObjectForm {
  static let what = "the entry of a device"

  package static let form = JSONKeys<DeviceEntry>(
    { DeviceEntry(queue: $0, claim: $1) },
    JSONKey("queue", \.queue, .list(.object, most: longestQueue)),
    JSONKey(optional: "claim", \.claim, .object)
  )
}

extension QueuedJob: JSONObjectForm {
  package static let form = JSONKeys<QueuedJob>(
    { job, isCancelled, isArmed in
      var queued = QueuedJob(job)
      (queued.isCancelled, queued.isArmed) = (isCancelled, isArmed)
      return queued
    },
    JSONKey("job", \.job, .job),
    JSONKey("cancelled", \.isCancelled, .truth),
    JSONKey("armed", \.isArmed, .truth)
  )
}

extension Claim: JSONObjectForm {
  package static let form = JSONKeys<Claim>(
    { job, owner, nonce, epoch, lease, renewal, successor in
      var claim = Claim(job: job, owner: owner, nonce: nonce, epoch: epoch, lease: lease)
      (claim.renewal, claim.successorOf) = (renewal, successor)
      return claim
    },
    JSONKey("job", \.job, .job),
    JSONKey("owner", \.owner, .name),
    JSONKey("nonce", \.nonce, .name),
    JSONKey("epoch", \.epoch, .number()),
    JSONKey("lease", \.lease, .duration(FleetBounds.lease)),
    JSONKey("renewal", \.renewal, .number()),
    JSONKey(optional: "successorOf", \.successorOf, .name)
  )
}
