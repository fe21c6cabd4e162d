// A follower receives all events of a job in order, or knows how many are missing.

import Fleet
import Signals
import Testing

@Suite("Following events")
struct EventFollowingTests {
  private let job: JobID
  private let chunks: [EventChunk]

  init() throws {
    job = try #require(JobID("job-1"))
    var chunking = EventChunking(nonce: "n")
    var chunks: [EventChunk] = []
    for number in 0..<4 {
      _ = try chunking.add("event \(number)", at: .start)
      let chunk = chunking.flush()
      chunks.append(try #require(chunk))
    }
    self.chunks = chunks
  }

  private func end() -> EventFollowing.Event {
    .record(.ended(ending))
  }

  private var ending: EndRecord {
    let digest = EventDigest(of: chunks)
    var end = EndRecord(.ok, owner: "hall", nonce: "n")
    (end.events, end.digest) = (digest.count, digest.text)
    return end
  }

  private static func at(_ seconds: Int) -> Instant { .start + .seconds(seconds) }

  @Test("late and repeated chunks are delivered in order, each once")
  func order() {
    var following = EventFollowing(of: job)
    var actions: [EventFollowing.Action] = []
    for number in [1, 0, 0, 3, 2, 1] {
      actions += following.handle(.chunk(chunks[number]), at: .start)
    }
    actions += following.handle(end(), at: .start)
    #expect(
      actions == [
        .deliver(["event 0", "event 1"], nonce: "n"), .deliver(["event 2", "event 3"], nonce: "n"),
        .complete(ending, missing: 0),
      ]
    )
  }

  @Test("missing chunks are requested after a pause, once for each pause")
  func ask() {
    var following = EventFollowing(of: job)
    _ = following.handle(.record(.ended(ending)), at: .start)
    #expect(following.next == Self.at(2))
    let request = EventRequest(job: job, nonce: "n", number: 0)
    #expect(following.handle(.woken, at: Self.at(2)) == [.ask(request, gateway: "hall")])
    #expect(following.handle(.woken, at: Self.at(3)) == [])
    #expect(following.handle(.woken, at: Self.at(4)) == [.ask(request, gateway: "hall")])
    for chunk in chunks.dropLast() { _ = following.handle(.chunk(chunk), at: Self.at(5)) }
    let rest = EventRequest(job: job, nonce: "n", number: 3)
    #expect(following.handle(.woken, at: Self.at(6)) == [.ask(rest, gateway: "hall")])
    #expect(
      following.handle(.chunk(chunks[3]), at: Self.at(7)).last == .complete(ending, missing: 0)
    )
    #expect(following.next == nil)
  }

  @Test("chunks that are never sent are counted as missing at the end")
  func gaps() {
    var following = EventFollowing(of: job, patience: .seconds(5))
    _ = following.handle(.chunk(chunks[0]), at: .start)
    _ = following.handle(.chunk(chunks[2]), at: .start)
    _ = following.handle(end(), at: .start)
    var actions: [EventFollowing.Action] = []
    while let next = following.next { actions += following.handle(.woken, at: next) }
    let request = EventRequest(job: job, nonce: "n", number: 1)
    #expect(
      actions == [
        .ask(request, gateway: "hall"), .ask(request, gateway: "hall"),
        .complete(ending, missing: 3),
      ]
    )
  }

  @Test("events that do not match the digest count as missing")
  func forged() throws {
    var following = EventFollowing(of: job, patience: .seconds(1))
    var chunking = EventChunking(nonce: "n")
    for number in 0..<4 { _ = try chunking.add("other \(number)", at: .start) }
    let other = chunking.flush()
    _ = following.handle(.chunk(try #require(other)), at: .start)
    _ = following.handle(end(), at: .start)
    #expect(following.handle(.woken, at: Self.at(1)) == [.complete(ending, missing: 4)])
  }

  @Test("events that the gateway lost after it had sent them are not missing")
  func lostAtTheGateway() {
    var following = EventFollowing(of: job)
    for chunk in chunks { _ = following.handle(.chunk(chunk), at: .start) }
    let left = EventDigest(of: Array(chunks[..<2]))
    var end = EndRecord(.interrupted, owner: "hall", nonce: "n")
    (end.events, end.digest) = (left.count, left.text)
    #expect(following.handle(.record(.ended(end)), at: .start) == [.complete(end, missing: 0)])
  }

  @Test("a run without events is complete when its end arrives")
  func none() {
    var following = EventFollowing(of: job)
    let end = EndRecord(.noGateway, owner: "desk", nonce: "d")
    #expect(following.handle(.record(.ended(end)), at: .start) == [.complete(end, missing: 0)])
  }
}
