// The state of a claim that a member holds, and of its job.
//
// Data only; Custody+Holding.swift and Custody+Records.swift decide.

public import Bluetooth
import Signals

/// The reason why a chain is stopped before its end.
public enum StopReason: String, Equatable, Sendable {
  /// The submitter cancelled the job.
  case cancelled
  /// The deadline of the job has passed.
  case deadline
  /// The lease could not be renewed and is about to end.
  case leaseEnding
  /// Another member has replaced the claim.
  case replaced
  /// The gateway is draining, and the limit has passed.
  case drained
  /// The journal of the gateway cannot be written.
  case journal
}

/// The outcome of a chain at the gateway that ran it.
public enum ChainOutcome: Equatable, Sendable {
  /// All operations succeeded.
  case ok
  /// The operation `step` failed.
  case failed(step: Int)
  /// The connection could not be made, because another program holds it.
  case held
  /// The chain was stopped as ``Gateway/Action/stop(_:_:)`` asked.
  case stopped
}

/// The journal entry of a claim. After a crash, the next process ends the claim from it.
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
  /// The operation that is open, or else the next one.
  public var step = 0
  /// Whether an operation that is not idempotent is open.
  public var isOpen = false
  /// The events of the run in the journal; not stored here, but counted when a journal is read.
  public var events = EventDigest()
  /// The end, once it is known.
  public var end: EndRecord?
}

/// A claim that this member holds.
struct Holding: Sendable {
  enum Stage: Equatable, Sendable {
    /// The start, or an end without a start, is being recorded.
    case starting
    case running
    /// Another program holds the connection: the chain is tried again later.
    case waiting(until: Instant)
    /// The end is being recorded.
    case ending
    /// The claim is being removed from the device's entry.
    case releasing
  }

  /// An operation that asks to begin, or has begun and not ended.
  struct Operation: Sendable {
    let step: Int
    let isIdempotent: Bool
  }

  let claim: Claim
  var stage = Stage.starting
  /// The end of the lease, by this member's clock. No operation begins from then on.
  var leaseEnd: Instant
  var nextRenewal: Instant
  let deadline: Instant
  /// The time when this member last saw the previous owner renew its claim.
  var renewedAt: Instant?
  /// The renewals whose outcome is not known, with the instants when they were sent.
  var sent: [Int: Instant] = [:]
  var renewal = 0
  /// The record that the next append expects to be the last (0: none); nil when it is not known.
  var lastRecord: Revision?
  /// The record that the latest append expected to be the last.
  var lastTried: Revision?
  var hasRead = false
  var start: Revision?
  /// The operation that waits until the armed mark is stored.
  var wanted: Operation?
  var open: Operation?
  var step = 0
  var overran: Int?
  var stopping: StopReason?
  var end: EndRecord?
  /// The events of the run so far.
  var events = EventDigest()
  /// Whether the end of the job needs no more storing: it is stored, or another member's end is.
  var isEndSettled = false
  /// Another member has replaced the claim, or the lease has ended: no operation may begin.
  var isFenced = false
  var retryAt: Instant?

  init(_ claim: Claim, leaseEnd: Instant, nextRenewal: Instant, deadline: Instant) {
    self.claim = claim
    self.leaseEnd = leaseEnd
    self.nextRenewal = nextRenewal
    self.deadline = deadline
  }

  /// Restores the claim of an earlier process from its journal entry, fenced: it can only be ended.
  init(_ entry: JournalEntry, owner: String, lease: Duration, at now: Instant) {
    claim = Claim(job: entry.job, owner: owner, nonce: entry.nonce, epoch: 0, lease: lease)
    leaseEnd = now
    nextRenewal = now
    deadline = now
    isFenced = true
    start = entry.start
    lastRecord = entry.start
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
