// Event streams over sockets: order, heartbeat, browsers that close or do not read, and the end.

import Fixtures
import Glibc
import Signals
import Testing

@testable import WebServer

@Suite("Event streams", .blocking)
struct EventStreamTests {
  /// The feeds that a server has opened, in order.
  private final class Feeds: Sendable {
    private let state = Guarded([EventFeed]())
    let ended = Counter()

    func open(_ bound: Int = 512, bytes: Int = 1 << 20) -> WebResponse {
      let feed = EventFeed(bound: bound, bytes: bytes)
      feed.onClose { self.ended.add() }
      state.withLock { $0.append(feed) }
      return .events(feed)
    }

    var all: [EventFeed] { state.withLock { $0 } }
  }

  /// A client that has received the head of a stream and its first line.
  private func subscribe(to server: TestServer, buffer: Int32? = nil) throws -> RawClient {
    let client = try server.client(buffer: buffer)
    client.send(server.request("GET /events"))
    let head = try client.head()
    #expect(head.status == 200)
    #expect(head.headers["content-type"] == "text/event-stream; charset=utf-8")
    #expect(head.headers["cache-control"] == "no-store")
    _ = try client.read(to: "retry: 2000\n\n")
    return client
  }

  @Test("events arrive in order, as they are sent, and the stream ends with the feed")
  func order() async throws {
    let feeds = Feeds()
    let server = try await TestServer { _ in feeds.open() }
    let client = try subscribe(to: server)
    let feed = try #require(feeds.all.first)
    for number in 0..<100 {
      feed.send(ServerEvent("v", data: "\(number)"))
      #expect(try client.read(to: "\n\n").hasSuffix("event: v\ndata: \(number)\n\n"))
    }
    #expect(server.server.load == .init(connections: 1, streams: 1))
    feed.close()
    _ = try client.readToEndOfChunks()
    #expect(eventually { feeds.ended.count == 1 })
    client.send(server.request("HEAD /events"))
    #expect(try client.answer(hasBody: false).status == 200)
    #expect(eventually { feeds.ended.count == 2 })
    await server.stop()
  }

  @Test("an idle stream sends a heartbeat, which also detects a closed browser")
  func heartbeat() async throws {
    let feeds = Feeds()
    var limits = WebLimits()
    limits.heartbeat = .milliseconds(20)
    let server = try await TestServer(limits: limits) { _ in feeds.open() }
    do {
      let client = try subscribe(to: server)
      for _ in 0..<3 { _ = try client.read(to: ":\n\n") }
      #expect(feeds.ended.count == 0)
    }
    #expect(eventually { feeds.ended.count == 1 && server.server.load == .init() })
    #expect(feeds.all[0].isClosed)
    await server.stop()
  }

  @Test(
    "a browser that does not read misses events; it gets the newest and the number missed"
  )
  func missed() async throws {
    let feeds = Feeds()
    let server = try await TestServer { _ in feeds.open(100) }
    let client = try subscribe(to: server, buffer: 4096)
    let feed = try #require(feeds.all.first)
    let filling = String(repeating: "x", count: 1000)
    let count = 5000
    for number in 1...count { feed.send(ServerEvent("v", data: "\(number) \(filling)")) }
    #expect(feed.missed > 0)
    let text = try client.read(to: "data: \(count) \(filling)\n\n")
    let lines = text.split(whereSeparator: \.isNewline)
    let received = lines.count { $0 == "event: v" }
    let missed = lines.filter { $0.hasPrefix("data: {\"events\":") }.compactMap { line in
      Int(line.drop { !$0.isNumber }.prefix { $0.isNumber })
    }
    #expect(missed.reduce(0, +) == feed.missed)
    #expect(received + feed.missed == count)
    await server.stop()
  }

  @Test("a stopped browser holds up neither the sender nor another browser")
  func stoppedBrowser() async throws {
    let feeds = Feeds()
    let server = try await TestServer { _ in feeds.open() }
    let stopped = try subscribe(to: server, buffer: 4096)
    let reading = try subscribe(to: server)
    // More than the buffers of a socket may hold, 2.6 MB on the loopback.
    let filling = String(repeating: "x", count: 200)
    for number in 1...20_000 {
      for feed in feeds.all { feed.send(ServerEvent("v", data: "\(number) \(filling)")) }
    }
    _ = try reading.read(to: "data: 20000 \(filling)\n\n")
    #expect(feeds.all[0].missed > 0)
    await server.stop(within: .seconds(1))
    #expect(stopped.isClosed == false)
    #expect(feeds.ended.count == 2)
  }

  @Test("a browser that accepts nothing for too long is closed; one that gets a heartbeat is not")
  func stalled() async throws {
    let feeds = Feeds()
    var limits = WebLimits()
    limits.stallTime = .seconds(5)
    limits.heartbeat = .milliseconds(100)
    let server = try await TestServer(limits: limits) { _ in feeds.open() }
    let stopped = try subscribe(to: server, buffer: 4096)
    let quiet = try subscribe(to: server)
    let stuck = feeds.all[0]
    let filling = String(repeating: "x", count: 10_000)
    #expect(
      eventually {
        stuck.send(ServerEvent("v", data: filling))
        return stuck.isClosed
      }
    )
    // Longer than the stall time: the quiet stream has its heartbeats.
    for _ in 0..<55 { _ = try quiet.read(to: ":\n\n") }
    #expect(!feeds.all[1].isClosed && feeds.ended.count == 1)
    #expect(!stopped.isClosed)
    await server.stop()
  }

  @Test("streams beyond the limit are answered with 503, and their feeds end")
  func tooMany() async throws {
    let feeds = Feeds()
    var limits = WebLimits()
    limits.streams = 2
    let server = try await TestServer(limits: limits) { _ in feeds.open() }
    let open = try (0..<2).map { _ in try subscribe(to: server) }
    #expect(try server.ask("GET /events").status == 503)
    #expect(feeds.ended.count == 1 && feeds.all[2].isClosed)
    feeds.all[0].close()
    _ = try open[0].readToEndOfChunks()
    #expect(eventually { server.server.load.streams == 1 })
    _ = try subscribe(to: server)
    await server.stop()
  }

  @Test("a second response on the same feed is refused")
  func sharedFeed() async throws {
    let feed = EventFeed()
    let server = try await TestServer { _ in .events(feed) }
    let client = try subscribe(to: server)
    #expect(try server.ask("GET /events").status == 503)
    withExtendedLifetime(client) {}
    await server.stop()
  }

  @Test("the server stops within its limit even with many open browsers")
  func stop() async throws {
    let feeds = Feeds()
    let server = try await TestServer { request in
      guard request.path != "/never" else {
        try? await Loop.current.sleep(for: .seconds(600))
        return .noContent
      }
      return feeds.open()
    }
    let streams = try (0..<30).map { _ in try subscribe(to: server, buffer: 4096) }
    for feed in feeds.all.prefix(10) {
      for _ in 0..<100 { feed.send(ServerEvent("v", data: String(repeating: "x", count: 9000))) }
    }
    let idle = try (0..<10).map { _ in try server.client() }
    let half = try (0..<10).map { _ in
      let client = try server.client()
      client.send("GET / HT")
      return client
    }
    let handled = try (0..<10).map { _ in
      let client = try server.client()
      client.send(server.request("GET /never"))
      return client
    }
    #expect(eventually { server.server.load == .init(connections: 60, streams: 30) })
    let start = EventLoop.time(CLOCK_MONOTONIC)
    await server.stop(within: .seconds(1))
    // Waiting for any of them would take 30 s and more; the rest is for a busy machine.
    #expect(EventLoop.time(CLOCK_MONOTONIC) - start < .seconds(25))
    #expect(server.server.load == .init())
    #expect(feeds.ended.count == 30)
    #expect(throws: RawClient.Failure.self) { try server.client() }
    for client in idle + half { #expect(try client.readToEnd() == "") }
    for client in streams[10...] { _ = try client.readToEndOfChunks() }
    withExtendedLifetime(handled) {}
  }

  @Test("ending the event loop ends the server and its streams")
  func loopEnds() async throws {
    let feeds = Feeds()
    let server = try await TestServer { _ in feeds.open() }
    let client = try subscribe(to: server)
    server.loop.shutDown()
    _ = try client.readToEnd()
    #expect(eventually { feeds.ended.count == 1 && server.server.load == .init() })
    await server.stop()
  }

  @Test("requests, streams and the server release all their memory")
  func freed() async throws {
    final class Held: Sendable {}
    let feeds = Guarded<[Weak]>([])
    var held: Held? = Held()
    let handled = Weak(held)
    var server: TestServer? = try await TestServer { [held] request in
      withExtendedLifetime(held) {}
      guard request.path == "/events" else { return .page("x") }
      let feed = EventFeed()
      feeds.withLock { $0.append(Weak(feed)) }
      return .events(feed)
    }
    held = nil
    do {
      let running = try #require(server)
      for _ in 0..<5 {
        let client = try subscribe(to: running)
        for feed in feeds.withLock({ $0 }) {
          (feed.object as? EventFeed)?.send(ServerEvent("v", data: "1"))
        }
        _ = try client.read(to: "data: 1\n\n")
        #expect(try running.ask("GET /").status == 200)
      }
      await running.stop()
      #expect(eventually { feeds.withLock { $0 }.allSatisfy { $0.object == nil } })
      #expect(handled.object != nil)
    }
    server = nil
    #expect(eventually { handled.object == nil })
  }
}

/// A weak reference to an object.
private final class Weak: @unchecked Sendable {
  // Set once and read from any thread; weak references are thread-safe.
  private(set) weak var object: AnyObject?
  init(_ object: AnyObject?) { self.object = object }
}
