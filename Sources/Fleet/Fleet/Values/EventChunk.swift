// The events of a run on their way to whoever follows it: in numbered chunks, of bounded size and age.

package import Jobs
public import Signals

/// Some events of a run, in order.
public struct EventChunk: Equatable, Sendable {
  /// The greatest size of the events of a chunk, in bytes.
  public static let largest = 64 << 10
  /// How long an event waits for others at most.
  public static let longestAge = Duration.seconds(1)

  /// The claim under which the chain runs.
  public let nonce: String
  /// Its number among the chunks of the run, from 0.
  public let number: Int
  /// The number of its first event, from 0.
  public let firstEvent: Int
  /// The events, a line of JSON each.
  public let events: [String]
}

/// A follower misses the chunks of a run from a number on: the gateway sends them again, from its
/// journal.
public struct EventRequest: Equatable, Sendable {
  /// The job.
  public let job: JobID
  /// The claim under which the chain ran.
  public let nonce: String
  /// The first chunk that is missing.
  public let number: Int

  /// How many chunks are sent again for one request.
  public static let mostChunks = 64

  /// A request.
  public init(job: JobID, nonce: String, number: Int) {
    self.job = job
    self.nonce = nonce
    self.number = number
  }
}

/// The digest of a row of events: FNV-1a over each line and a line end.
///
/// It finds what was lost or mixed up. It does not protect against anybody who forges events.
public struct EventDigest: Equatable, Sendable {
  private var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  /// How many events were added.
  public private(set) var count = 0

  /// The digest of no events.
  public init() {}

  /// The digest of the events of chunks, which are in order.
  public init(of chunks: [EventChunk]) {
    for chunk in chunks { for event in chunk.events { add(event) } }
  }

  /// Adds an event.
  public mutating func add(_ event: String) {
    for unit in event.utf8 { hash = (hash ^ UInt64(unit)) &* 0x0000_0100_0000_01b3 }
    hash = (hash ^ 10) &* 0x0000_0100_0000_01b3
    count += 1
  }

  /// 16 hexadecimal digits.
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

  /// Begins the chunks of a run, or continues them.
  public init(nonce: String, after chunks: [EventChunk] = []) {
    self.nonce = nonce
    number = chunks.count
    digest = EventDigest(of: chunks)
  }

  /// When the waiting events have to be sent; nil when none waits.
  public var next: Instant? { oldest.map { $0 + EventChunk.longestAge } }

  /// Adds an event.
  ///
  /// - Returns: The chunk that has become full, if one has.
  /// - Throws: ``EventTooLong`` for an event that fits into no chunk; it is not added.
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

  /// The chunk that is due now, if one is.
  public mutating func due(at now: Instant) -> EventChunk? {
    guard let next, next <= now else { return nil }
    return flush()
  }

  /// The last chunk of the run, if events wait.
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

/// An event is longer than a chunk may be.
public struct EventTooLong: Error, Equatable, Sendable, CustomStringConvertible {
  /// Its size.
  public let bytes: Int

  public var description: String {
    "an event of \(bytes) bytes: a chunk of events has at most \(EventChunk.largest) bytes"
  }
}

extension EventRequest: StoredForm, JSONObjectForm {
  static let what = "a request for events"

  package static let form = JSONKeys<EventRequest>(
    { EventRequest(job: $0, nonce: $1, number: $2) },
    JSONKey("job", \.job, .job),
    JSONKey("nonce", \.nonce, .name),
    JSONKey("number", \.number, .number())
  )
}

extension EventChunk: StoredForm, JSONObjectForm {
  static let what = "a chunk of events"

  package static let form = JSONKeys<EventChunk>(
    { EventChunk(nonce: $0, number: $1, firstEvent: $2, events: $3) },
    JSONKey("nonce", \.nonce, .name),
    JSONKey("number", \.number, .number()),
    JSONKey("firstEvent", \.firstEvent, .number()),
    JSONKey("events", \.events, .texts(bytes: largest))
  )
}
