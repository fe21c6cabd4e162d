// The sending of chunks of events to the store, and their files.

import Fleet
import Signals
import Testing

@Suite("Sending events")
struct EventSendingTests {
  private let job: JobID
  private let key: StoreKey

  init() throws {
    job = try #require(JobID("job-1"))
    key = .events(of: job)
  }

  private func chunks(_ count: Int) throws -> [EventChunk] {
    var chunking = EventChunking(nonce: "n")
    return try (0..<count).map { number in
      _ = try chunking.add("{\"step\":\(number)}", at: .start)
      let chunk = chunking.flush()
      return try #require(chunk)
    }
  }

  private func sending(_ chunks: [EventChunk], hasEarlier: Bool = false) -> EventSending {
    var sending = EventSending(
      of: job, nonce: "n", pause: .seconds(1), hasEarlier: hasEarlier
    )
    for chunk in chunks { sending.add(chunk) }
    return sending
  }

  private func append(_ chunk: EventChunk, _ expected: Revision) -> StoreRequest {
    .append(key, .events(chunk), expecting: expected)
  }

  private func at(_ milliseconds: Int) -> Instant {
    Instant(sinceStart: .milliseconds(milliseconds))
  }

  @Test("chunks are appended one after the other, each behind the one before")
  func inOrder() throws {
    let chunks = try chunks(2)
    var sending = sending(chunks)
    #expect(sending.advance(at: .start) == append(chunks[0], 0))
    #expect(sending.advance(at: .start) == nil && sending.next == nil)
    sending.answered(.applied(5), at: .start)
    #expect(sending.advance(at: .start) == append(chunks[1], 5))
    sending.answered(.applied(9), at: .start)
    #expect(sending.isDone && sending.advance(at: .start) == nil && sending.next == nil)
  }

  @Test("a chunk whose answer is lost is looked for before it is appended again")
  func unknown() throws {
    let chunks = try chunks(2)
    var sending = sending(chunks)
    _ = sending.advance(at: .start)
    sending.answered(.unknown, at: .start)
    #expect(sending.next == at(1000) && sending.advance(at: at(999)) == nil)
    #expect(sending.advance(at: at(1000)) == .last(key))
    let stored = StoreEntry(key: key, value: .events(chunks[0]), revision: 7)
    sending.answered(.entries([stored]), at: at(1000))
    #expect(sending.advance(at: at(1000)) == append(chunks[1], 7))
  }

  @Test("a refused chunk is appended behind the last one, and after a stale read there is a pause")
  func refused() throws {
    let chunks = try chunks(1)
    var sending = sending(chunks)
    _ = sending.advance(at: .start)
    sending.answered(.refused, at: .start)
    #expect(sending.advance(at: .start) == .last(key))
    sending.answered(.entries([]), at: .start)
    #expect(sending.advance(at: .start) == append(chunks[0], 0))
    sending.answered(.refused, at: .start)
    #expect(sending.advance(at: .start) == nil && sending.next == at(1000))
    #expect(sending.advance(at: at(1000)) == .last(key))
  }

  @Test(
    "a run that is tried again reads first, and chunks above the limit are skipped, the oldest first"
  )
  func bounds() throws {
    let chunks = try chunks(EventSending.mostWaiting + 2)
    var sending = sending(chunks, hasEarlier: true)
    #expect(sending.advance(at: .start) == .last(key))
    sending.answered(.unavailable, at: .start)
    sending.giveUp()
    #expect(sending.isDone && sending.next == nil)
    sending.add(chunks[0])
    for chunk in chunks.dropFirst() { sending.add(chunk) }
    _ = sending.advance(at: at(1000))
    sending.answered(.entries([]), at: at(1000))
    #expect(sending.advance(at: at(1000)) == append(chunks[2], 0))
  }

  /// The lines of one file.
  private final class OneFile: EventFiles {
    let lines = Guarded<[String]>([])

    func append(_ line: String, toFileOf nonce: String) -> Bool {
      lines.withLock { $0.append(line) }
      return true
    }

    func read(fileOf nonce: String, _ body: (String) -> Bool) {
      for line in lines.withLock({ $0 }) {
        guard body(line) else { return }
      }
    }
  }

  @Test("a line that a loss of power has cut off ends the events of a run")
  func torn() throws {
    let file = OneFile()
    let log = EventLog(file)
    let chunks = try chunks(3)
    for chunk in chunks { #expect(log.keep(chunk)) }
    #expect(log.chunks(of: "n") == chunks && log.digest(of: "n") == EventDigest(of: chunks))
    #expect(log.chunks(for: EventRequest(job: job, nonce: "n", number: 1)) == Array(chunks[1...]))
    file.lines.withLock { $0[2].removeLast(3) }
    #expect(log.chunks(of: "n") == Array(chunks[..<2]))
    #expect(log.digest(of: "n").count == 2)
  }
}
