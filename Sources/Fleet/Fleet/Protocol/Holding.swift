// A claim that a member holds, and how far its job is.

public import Bluetooth
import Signals

/// Why a chain is stopped before its end.
public enum StopReason: String, Equatable, Sendable {
  /// The submitter asked for it.
  case cancelled
  /// The deadline of the job has passed.
  case deadline
  /// The lease could not be renewed and is about to end.
  case leaseEnding
  /// Another member has replaced the claim.
  case replaced
  /// The gateway is drained, and its limit has passed.
  case drained
  /// The journal of the gateway cannot be written.
  case journal
}

/// How a chain ended at the gateway that ran it.
public enum ChainOutcome: Equatable, Sendable {
  /// All operations succeeded.
  case ok
  /// The operation `step` failed.
  case failed(step: Int)
  /// The connection could not be made, because somebody else holds it.
  case held
  /// Stopped, as it was asked.
  case stopped
}

/// What the journal of a gateway keeps of a claim, so that a later process can end it truthfully.
public struct JournalEntry: Equatable, Sendable {
  /// The device.
  public let address: BluetoothAddress
  /// The job.
  public let job: JobID
  /// The claim.
  public let nonce: String
  /// The revision of the record of the start.
  public let start: Revision
  /// Whether an operation that is not idempotent may have begun.
  public var isArmed = false
  /// The next operation, or the one that is open.
  public var step = 0
  /// Whether an operation that is not idempotent is open.
  public var isOpen = false
  /// The events of the run that the journal has; whoever reads a journal counts them.
  public var events = EventDigest()
  /// The end, once it is known.
  public var end: EndRecord?
}

/// A claim that is held.
struct Holding: Sendable {
  enum Stage: Equatable, Sendable {
    /// The claim is made; the start, or an end without one, is not yet recorded.
    case starting
    case running
    /// Somebody else holds the connection: the chain is tried again later.
    case waiting(until: Instant)
    /// The end is not yet stored.
    case ending
    /// The device is not yet released.
    case releasing
  }

  /// An operation that has permission and has not ended.
  struct Open: Sendable {
    let step: Int
    let isIdempotent: Bool
  }

  let claim: Claim
  var stage = Stage.starting
  /// No operation begins from here on, by the clock of this member.
  var leaseEnd: Instant
  var nextRenewal: Instant
  let deadline: Instant
  /// When the predecessor last renewed its claim, as far as this member has seen.
  var renewedAt: Instant?
  /// When each renewal was sent whose outcome is not known.
  var sent: [Int: Instant] = [:]
  var renewal = 0
  /// The record that the next one is to follow; nil when it is not known.
  var follows: Revision?
  var hasRead = false
  var start: Revision?
  /// The operation that waits for the armed mark.
  var wanted: Open?
  var open: Open?
  var step = 0
  var overran: Int?
  var stopping: StopReason?
  var end: EndRecord?
  /// The events of the run so far.
  var events = EventDigest()
  /// Whether the end, if there is one, is stored or of no use any more.
  var isEndSettled = false
  /// The claim belongs to somebody else, or the lease has ended: no operation begins.
  var isFenced = false
  var retryAt: Instant?

  init(_ claim: Claim, leaseEnd: Instant, nextRenewal: Instant, deadline: Instant) {
    self.claim = claim
    self.leaseEnd = leaseEnd
    self.nextRenewal = nextRenewal
    self.deadline = deadline
  }

  /// What an earlier process of a gateway has left, from its journal.
  init(_ entry: JournalEntry, owner: String, lease: Duration, at now: Instant) {
    claim = Claim(job: entry.job, owner: owner, nonce: entry.nonce, epoch: 0, lease: lease)
    leaseEnd = now
    nextRenewal = now
    deadline = now
    isFenced = true
    start = entry.start
    follows = entry.start
    step = entry.step
    if let end = entry.end {
      self.end = end
    } else if entry.isArmed {
      let state: EndState = entry.isOpen ? .unknown : .interrupted
      var end = EndRecord(state, owner: owner, nonce: entry.nonce, step: entry.step)
      (end.events, end.digest) = (entry.events.count, entry.events.text)
      self.end = end
    }
    stage = end == nil ? .releasing : .ending
  }
}
