// The events of a run as they are sent to followers: in numbered chunks of bounded size and age.
//
// The receiving side is EventFollowing.

package import Jobs
public import Signals

/// Consecutive events of a run.
public struct EventChunk: Equatable, Sendable {
  /// The greatest total size of a chunk's events, in bytes.
  public static let largest = 64 << 10
  /// The longest time that an event waits for its chunk to fill.
  public static let longestAge = Duration.seconds(1)

  /// The claim under which the chain runs.
  public let nonce: String
  /// The index among the chunks of the run.
  public let number: Int
  /// The index of its first event among the events of the run.
  public let firstEvent: Int
  /// The events; each is a line of JSON.
  public let events: [String]
}

/// A request of a follower that a gateway sends the chunks of a run again, from its journal.
public struct EventRequest: Equatable, Sendable {
  /// The job.
  public let job: JobID
  /// The claim under which the chain ran.
  public let nonce: String
  /// The index of the first missing chunk.
  public let number: Int

  /// The most chunks that are sent again for one request.
  public static let mostChunks = 64

  /// Creates a request.
  public init(job: JobID, nonce: String, number: Int) {
    self.job = job
    self.nonce = nonce
    self.number = number
  }
}

/// The digest of a sequence of events: FNV-1a over each line and a line feed.
///
/// It detects lost and reordered events. It is no protection against forged ones.
public struct EventDigest: Equatable, Sendable {
  private var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  /// The number of events.
  public private(set) var count = 0

  /// Creates the digest of no events.
  public init() {}

  /// Creates the digest of the events in chunks, which must be in order.
  public init(of chunks: [EventChunk]) {
    for chunk in chunks { for event in chunk.events { add(event) } }
  }

  /// Adds an event.
  public mutating func add(_ event: String) {
    for unit in event.utf8 { hash = (hash ^ UInt64(unit)) &* 0x0000_0100_0000_01b3 }
    hash = (hash ^ 10) &* 0x0000_0100_0000_01b3
    count += 1
  }

  /// The digest as 16 hexadecimal digits.
  public var text: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}

/// Divides the events of one run into chunks.
public struct EventChunking: Sendable {
  private let nonce: String
  private var waiting: [String] = []
  private var bytes = 0
  private var number = 0
  private var oldest: Instant?
  /// The digest of all events so far.
  public private(set) var digest = EventDigest()

  /// Begins the chunks of a run, or continues after the given ones.
  public init(nonce: String, after chunks: [EventChunk] = []) {
    self.nonce = nonce
    number = chunks.count
    digest = EventDigest(of: chunks)
  }

  /// When the waiting events must be sent; nil when no event waits.
  public var next: Instant? { oldest.map { $0 + EventChunk.longestAge } }

  /// Adds an event.
  ///
  /// - Returns: The chunk that the event no longer fitted into, if any.
  /// - Throws: ``EventTooLong`` for an event larger than a chunk; it is not added.
  public mutating func add(_ event: String, at now: Instant) throws(EventTooLong) -> EventChunk? {
    let size = event.utf8.count + 1
    guard size <= EventChunk.largest else { throw EventTooLong(bytes: size) }
    let full = bytes + size > EventChunk.largest ? flush() : nil
    if oldest == nil { oldest = now }
    digest.add(event)
    waiting.append(event)
    bytes += size
    return full
  }

  /// Removes and returns the chunk that is due, if one is.
  public mutating func due(at now: Instant) -> EventChunk? {
    guard let next, next <= now else { return nil }
    return flush()
  }

  /// Removes and returns the waiting events as a chunk, if there are any.
  public mutating func flush() -> EventChunk? {
    guard !waiting.isEmpty else { return nil }
    defer {
      waiting = []
      bytes = 0
      number += 1
      oldest = nil
    }
    return EventChunk(
      nonce: nonce, number: number, firstEvent: digest.count - waiting.count, events: waiting
    )
  }
}

/// An event is larger than a chunk may be.
public struct EventTooLong: Error, Equatable, Sendable, CustomStringConvertible {
  /// The size of the event.
  public let bytes: Int

  public var description: String {
    "an event of \(bytes) bytes: a chunk of events has at most \(EventChunk.largest) bytes"
  }
}

extension EventRequest: StoredForm, JSONObjectForm {
  static let noun = "a request for events"

  package static let form = JSONKeys<EventRequest>(
    { EventRequest(job: $0, nonce: $1, number: $2) },
    JSONKey("job", \.job, .job),
    JSONKey("nonce", \.nonce, .name),
    JSONKey("number", \.number, .number())
  )
}

extension EventChunk: StoredForm, JSONObjectForm {
  static let noun = "a chunk of events"

  package static let form = JSONKeys<EventChunk>(
    { EventChunk(nonce: $0, number: $1, firstEvent: $2, events: $3) },
    JSONKey("nonce", \.nonce, .name),
    JSONKey("number", \.number, .number()),
    JSONKey("firstEvent", \.firstEvent, .number()),
    JSONKey("events", \.events, .texts(bytes: largest))
  )
}
