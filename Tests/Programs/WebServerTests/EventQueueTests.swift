// The queue of a slow browser: bounded, the newest win, what was missed is reported.

import Testing

@testable import WebServer

@Suite("Event queues")
struct EventQueueTests {
  /// Reads everything, in pieces of that size.
  private func drain(_ queue: inout EventQueue, by size: Int = 4096) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: size)
    // Each piece has at least one byte of a bounded queue.
    for _ in 0..<1_000_000 {
      let taken = buffer.withUnsafeMutableBytes { queue.read(into: $0) }
      guard case .bytes(let count) = taken else { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func queue(bound: Int = 4, bytes: Int = 1000) -> EventQueue {
    var queue = EventQueue(bound: bound, bytes: bytes)
    #expect(drain(&queue) == "retry: 2000\n\n")
    return queue
  }

  private func push(_ numbers: ClosedRange<Int>, to queue: inout EventQueue) {
    for number in numbers { _ = queue.push(ServerEvent("v", data: "\(number)")) }
  }

  private func text(_ numbers: ClosedRange<Int>) -> String {
    numbers.map { "event: v\ndata: \($0)\n\n" }.joined()
  }

  @Test("events are sent in order, whatever the size of the reads", arguments: [1, 2, 7, 4096])
  func order(size: Int) {
    var queue = queue(bound: 100)
    push(1...20, to: &queue)
    #expect(drain(&queue, by: size) == text(1...20))
    #expect(queue.missed == 0)
  }

  @Test("the newest events are kept, and the number of dropped ones is sent in their place")
  func newestWin() {
    var queue = queue(bound: 4)
    push(1...10, to: &queue)
    #expect(queue.missed == 6)
    #expect(drain(&queue) == "event: missed\ndata: {\"events\":6}\n\n" + text(7...10))
    push(11...16, to: &queue)
    #expect(drain(&queue) == "event: missed\ndata: {\"events\":2}\n\n" + text(13...16))
    #expect(queue.missed == 8)
  }

  @Test("an event that is partly sent is sent to its end")
  func begun() {
    var queue = queue(bound: 2)
    push(1...1, to: &queue)
    var first = [UInt8](repeating: 0, count: 5)
    #expect(first.withUnsafeMutableBytes { queue.read(into: $0) } == .bytes(5))
    push(2...9, to: &queue)
    #expect(
      String(decoding: first, as: UTF8.self) + drain(&queue)
        == text(1...1) + "event: missed\ndata: {\"events\":6}\n\n" + text(8...9)
    )
  }

  @Test("the bytes waiting are limited, too, and a larger event is dropped")
  func bytes() {
    var queue = queue(bound: 1000, bytes: 100)
    push(1...50, to: &queue)
    let rest = drain(&queue)
    #expect(rest.utf8.count <= 100 + 40)
    #expect(rest.hasSuffix(text(50...50)))
    push(51...51, to: &queue)
    _ = queue.push(ServerEvent("v", data: String(repeating: "x", count: 101)))
    #expect(drain(&queue) == "event: missed\ndata: {\"events\":2}\n\n")
  }

  @Test("a million events for a browser that never reads stay within the limits")
  func flood() {
    var queue = queue(bound: 512, bytes: 1 << 20)
    push(1...1_000_000, to: &queue)
    #expect(queue.missed == 999_488)
    #expect(drain(&queue).hasSuffix(text(999_489...1_000_000)))
  }

  @Test(
    "data of several lines is one event, and a name is a single line",
    arguments: [
      ("a\nb", "data: a\ndata: b"), ("a\r\nb\rc", "data: a\ndata: b\ndata: c"), ("", "data: "),
      ("\n", "data: \ndata: "), ("a\n\nb", "data: a\ndata: \ndata: b"),
    ]
  )
  func lines(data: String, text: String) {
    var queue = queue()
    _ = queue.push(ServerEvent("na\r\nme", data: data))
    #expect(drain(&queue) == "event: name\n\(text)\n\n")
  }

  @Test("a heartbeat is sent only if no event is waiting")
  func heartbeat() {
    var queue = queue()
    queue.beat()
    #expect(drain(&queue) == ":\n\n")
    push(1...1, to: &queue)
    queue.beat()
    #expect(drain(&queue) == text(1...1))
  }

  @Test("waiting events are sent after the queue closes, and then it ends")
  func closing() {
    var queue = queue()
    push(1...2, to: &queue)
    queue.close()
    push(3...3, to: &queue)
    #expect(drain(&queue) == text(1...2))
    var buffer: [UInt8] = [0]
    #expect(buffer.withUnsafeMutableBytes { queue.read(into: $0) } == .end)
    queue.beat()
    #expect(buffer.withUnsafeMutableBytes { queue.read(into: $0) } == .end)
  }

  @Test("after the end nothing is sent, not even the rest of an event")
  func end() {
    var queue = queue()
    push(1...2, to: &queue)
    queue.end()
    #expect(drain(&queue) == "")
    #expect(queue.isClosed && queue.isOver)
  }
}

@Suite("Event feeds")
struct EventFeedTests {
  @Test("a feed serves only one response")
  func onlyOne() {
    let feed = EventFeed()
    #expect(feed.serve {})
    #expect(!feed.serve {})
  }

  @Test("every subscriber to the end of a feed is called once, even after the end")
  func closeHandlers() {
    let feed = EventFeed()
    let ends = Counter()
    feed.onClose { ends.add() }
    feed.close()
    #expect(feed.isClosed && ends.count == 0)
    feed.end()
    feed.end()
    #expect(ends.count == 1)
    feed.onClose { ends.add() }
    #expect(ends.count == 2)
  }
}
