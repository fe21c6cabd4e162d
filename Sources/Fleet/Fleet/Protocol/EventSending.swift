// The sending of a run's chunks of events to the store, one after the other.
//
// A pure value. A chunk that the store does not accept in time is skipped: followers see the gap in the numbers
// and request the chunk from the gateway. Dividing events into chunks is in EventChunk.swift.

package import Signals

/// The chunks of one run that wait for the store.
package struct EventSending: Sendable {
  /// The request that is not answered yet.
  private enum Pending {
    case append(EventChunk)
    case read(for: EventChunk)
  }

  /// The most chunks that wait; the oldest are skipped.
  package static let mostWaiting = 64

  private let key: StoreKey
  private let nonce: String
  private let pause: Duration
  private var waiting: [EventChunk] = []
  private var pending: Pending?
  /// The revision of the subject's last chunk; nil when it is not known.
  private var last: Revision?
  /// Whether ``last`` is from a read for the first chunk: if it is refused again, the read was stale.
  private var hasRead = false
  /// The time of the next request after one without success.
  private var resumesAt: Instant?

  /// Begins to send the events of a run.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - nonce: The claim.
  ///   - pause: The pause after a request without success.
  ///   - hasEarlier: Whether an earlier run of the same claim has sent chunks.
  package init(of job: JobID, nonce: String, pause: Duration, hasEarlier: Bool) {
    key = .events(of: job)
    self.nonce = nonce
    self.pause = pause
    // Nearly always the job has no events in the store yet: try without reading first.
    last = hasEarlier ? nil : 0
  }

  /// Whether nothing waits to be sent.
  package var isDone: Bool { waiting.isEmpty }

  /// The time to call ``advance(at:)``, unless an answer comes first; nil while a request is
  /// pending.
  package var next: Instant? { pending == nil && !waiting.isEmpty ? resumesAt ?? .start : nil }

  /// Adds a chunk.
  package mutating func add(_ chunk: EventChunk) {
    waiting.append(chunk)
    if waiting.count > Self.mostWaiting { waiting.removeFirst() }
  }

  /// Skips everything that waits.
  package mutating func giveUp() { waiting = [] }

  /// Returns the request that is due, if one is.
  package mutating func advance(at now: Instant) -> StoreRequest? {
    guard pending == nil, let chunk = waiting.first, resumesAt.map({ $0 <= now }) ?? true else {
      return nil
    }
    resumesAt = nil
    guard let last else {
      pending = .read(for: chunk)
      return .last(key)
    }
    pending = .append(chunk)
    return .append(key, .events(chunk), expecting: last)
  }

  /// Handles the answer to the pending request.
  package mutating func answered(_ answer: StoreAnswer, at now: Instant) {
    switch (pending, answer) {
    case (.append(let chunk), .applied(let revision)):
      last = revision
      sent(chunk)
    case (.append, .refused):
      // The last chunk is not the expected one: read it.
      last = nil
      if hasRead { resumesAt = now + pause }
      hasRead = false
    case (.read(let chunk), .entries(let found)):
      last = found.first?.revision ?? 0
      hasRead = true
      if case .events(let stored)? = found.first?.value, stored.nonce == nonce,
        stored.number >= chunk.number
      {
        sent(chunk)
      }
    case (.append, _), (.read, _):
      last = nil
      hasRead = false
      resumesAt = now + pause
    case (nil, _): break
    }
    pending = nil
  }

  private mutating func sent(_ chunk: EventChunk) {
    waiting.removeAll { $0.number <= chunk.number }
    hasRead = false
  }
}
