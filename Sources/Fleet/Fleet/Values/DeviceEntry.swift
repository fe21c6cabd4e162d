// The entry of a device: its queue of jobs, and the claim of the member that runs the first one.
//
// Queue, claim and armed marks are one entry, changed only by compare-and-set, so that they never
// disagree. An entry without jobs is removed.

package import Jobs

/// A job in the queue of a device.
public struct QueuedJob: Equatable, Sendable {
  /// The job.
  public let job: JobID
  /// Whether the submitter has cancelled it. The owner of the claim still has to end it.
  public var isCancelled = false
  /// Whether one of its operations that are not idempotent may have begun. Never reset.
  public var isArmed = false

  /// Creates a job that has just been submitted.
  public init(_ job: JobID) { self.job = job }
}

/// The exclusive right to run the first job of the queue, until its lease ends.
public struct Claim: Equatable, Sendable {
  /// The first job of the queue when the claim was made.
  public let job: JobID
  /// The gateway, or the submitter, that made the claim.
  public let owner: String
  /// A text unique to this attempt to claim.
  public let nonce: String
  /// The revision that the claim replaced. It grows with each claim of a device.
  public let epoch: Revision
  /// How long the claim holds, from the sending of the request that made or renewed it.
  public let lease: Duration
  /// The number of renewals, unanswered attempts included.
  public var renewal = 0
  /// The owner of the claim that this one replaced because it was no longer renewed.
  public var successorOf: String?

  /// Creates a claim without renewals.
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
  /// The most jobs that one device's queue holds.
  public static let longestQueue = 64

  /// The jobs that have not ended, in order of submission.
  public var queue: [QueuedJob]
  /// The claim on the first job; nil when it is free.
  public var claim: Claim?

  /// Creates an entry.
  public init(queue: [QueuedJob], claim: Claim? = nil) {
    self.queue = queue
    self.claim = claim
  }

  /// Returns the job that a claim is for.
  public func claimed(_ claim: Claim) -> QueuedJob? { queue.first { $0.job == claim.job } }

  /// Returns the entry without its claim.
  func released() -> DeviceEntry { DeviceEntry(queue: queue) }

  /// Returns the entry without its claim and without the job of `claim`.
  func finished(_ claim: Claim) -> DeviceEntry {
    DeviceEntry(queue: queue.filter { $0.job != claim.job })
  }

  /// Returns the entry with the job of `claim` marked as armed.
  func armed(_ claim: Claim) -> DeviceEntry {
    var entry = self
    for index in entry.queue.indices where entry.queue[index].job == claim.job {
      entry.queue[index].isArmed = true
    }
    return entry
  }
}

extension DeviceEntry: StoredForm, JSONObjectForm {
  static let noun = "the entry of a device"

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
