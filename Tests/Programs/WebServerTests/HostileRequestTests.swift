// Hostile requests: too large, too slow, too many, and with no descriptor left.

import Fixtures
import Glibc
import Signals
import Testing

@testable import WebServer

@Suite("Hostile requests", .blocking)
struct HostileRequestTests {
  private static let handler: WebServer.Handler = { request in
    request.path == "/large"
      ? .file([UInt8](repeating: 120, count: 8 << 20), "application/octet-stream")
      : .page("\(request.body.count)")
  }

  @Test("a page from another site cannot reach the server, whatever host it sends")
  func rebinding() async throws {
    let server = try await TestServer(handler: Self.handler)
    func status(_ lines: String...) throws -> Int {
      let client = try server.client()
      client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
      return try client.answer().status
    }
    let port = server.port
    #expect(try status("GET / HTTP/1.1", "Host: localhost:\(port)") == 200)
    #expect(try status("GET / HTTP/1.1", "Host: evil.example:\(port)") == 421)
    #expect(try status("GET / HTTP/1.1", "Host: localhost:\(port)", "Host: evil.example") == 400)
    #expect(try status("GET / HTTP/1.1", "Host: evil.example", "Host: localhost:\(port)") == 400)
    #expect(try status("GET / HTTP/1.1") == 400)
    #expect(try status("GET / HTTP/1.0") == 400)
    #expect(try status("GET http://evil.example/ HTTP/1.1", "Host: localhost:\(port)") == 400)
    #expect(try status("GET http://localhost:\(port)/ HTTP/1.1", "Host: localhost:\(port)") == 200)
    #expect(
      try status("GET / HTTP/1.1", "Host: localhost:\(port)", "Origin: http://evil.example") == 403
    )
    #expect(
      try status(
        "POST / HTTP/1.1",
        "Host: localhost:\(port)",
        "Origin: http://evil.example",
        "Content-Type: text/plain",
        "Content-Length: 0"
      ) == 403
    )
    await server.stop()
  }

  @Test(
    "an ambiguous request is rejected and its connection closed",
    arguments: [
      "Host: HOST\r\nX-A: b\r\n c\r\nX-B: d", "Host: HOST\r\nX-A: b\r\n\tc",
      "Host:\r\n HOST\r\nX-A: b", "Host: HOST\r\nX-A: b\r\n ", " X: y\r\nHost: HOST",
      "Host: HOST\nX-A: b", "X-A: b\nHost: HOST", "Host: HOST\rX-A: b", "Host: HOST\r\nX-A: b\rc",
      "Host: HOST\u{0}.evil.example", "Host: HOST\u{0}", "Host: HOST\u{0}\r\nX-A: b",
      "Host: HOST\r\nOrigin: http://HOST\u{0}.evil.example", "Host: HOST\r\nX\u{0}A: b",
      "Host: HOST\r\nX-A: b\u{0}c\r\nX-B: d", "Host: HOST\r\nX-A: b\u{7}",
      "Host: HOST\r\nHost: HOST", "Host : HOST", "Host: HOST\r\nX-A : b",
      "Host: HOST\r\nContent-Length: 3\r\nTransfer-Encoding: chunked",
      "Host: HOST\r\nTransfer-Encoding: chunked\r\nContent-Length: 3",
      "Host: HOST\r\nContent-Length: 3\r\nContent-Length: 3",
      "Host: HOST\r\nContent-Length: 3\r\nContent-Length: 4",
      "Host: HOST\r\nContent-Length: 3, 3", "Host: HOST\r\nContent-Length: +3",
    ]
  )
  func ambiguous(lines: String) async throws {
    let server = try await TestServer(handler: Self.handler)
    let lines = lines.replacing("HOST", with: "localhost:\(server.port)")
    let client = try server.client()
    client.send("GET / HTTP/1.1\r\n\(lines)\r\n\r\n")
    #expect(try client.answer().status == 400)
    _ = try client.readToEnd()
    await server.stop()
  }

  @Test("lines that end with a bare LF are rejected everywhere")
  func bareLineFeeds() async throws {
    let server = try await TestServer(handler: Self.handler)
    let host = "Host: localhost:\(server.port)"
    let next = "GET /next HTTP/1.1\r\n\(host)\r\n\r\n"
    for start in [
      "GET / HTTP/1.1\n\(host)\r\n\r\n", "GET / HTTP/1.1\r\n\(host)\r\n\n\(next)",
      "GET / HTTP/1.1\r\n\(host)\r\n\n", "GET / HTTP/1.1\n\(host)\n\n",
      "GET / HTTP/1.1\r\n\(host)\n\r\n\(next)", "GET /\u{0}x HTTP/1.1\r\n\(host)\r\n\r\n",
    ] {
      let client = try server.client()
      client.send(start)
      #expect(try client.answer().status == 400, "\(start)")
      #expect(try client.readToEnd() == "", "\(start)")
    }
    // Whitespace around a value and an empty value are valid HTTP.
    let values = ["X-A:b", "X-B:  b \t", "X-C:", "X-D:  "]
    #expect(try server.ask("GET /", values).status == 200)
    #expect(try server.ask("GET /?a=b", values + ["Cookie: a=b; c=d"]).status == 200)
    await server.stop()
  }

  @Test("headers that are too large are refused, and cost bounded memory")
  func largeHeaders() async throws {
    let server = try await TestServer(handler: Self.handler)
    let large = "X-Large: " + String(repeating: "x", count: 20_000)
    #expect(try server.ask("GET /", [large]).status == 431)
    #expect(try server.ask("GET /" + String(repeating: "x", count: 20_000)).status == 431)
    // Beyond the size that a connection may hold, the library itself rejects or closes.
    let client = try server.client()
    client.send("GET / HTTP/1.1\r\n")
    var count = 0
    while count < 2000, client.send("X-\(count): \(String(repeating: "y", count: 1000))\r\n") {
      count += 1
    }
    #expect(count < 2000)
    #expect(try server.ask("GET /").status == 200)
    await server.stop()
  }

  @Test(
    "a request rejected by the HTTP library gets a constant page without any part of it",
    arguments: [
      (431, "GET / HTTP/1.1\r\nX-A: \(String(repeating: "secret", count: 20_000))\r\n\r\n"),
      (414, "GET /\(String(repeating: "secret", count: 20_000)) HTTP/1.1\r\n\r\n"),
      (400, "GET /secret HTTP/1.1\r\nsecret\r\n\r\n"),
      (505, "GET /secret HTTP/9.9\r\nHost: secret\r\n\r\n"),
    ]
  )
  func refusedByLibrary(status: Int, text: String) async throws {
    let server = try await TestServer(handler: Self.handler)
    let client = try server.client()
    client.send(text)
    let answer = try client.answer()
    #expect(answer.status == status)
    #expect(Set(answer.headers.keys) == ["date", "connection", "content-length"])
    #expect(!answer.body.contains("secret") && answer.body.count < 200, "\(answer.body)")
    #expect(try client.readToEnd() == "")
    await server.stop()
  }

  @Test("a body that is too large is refused before it is sent")
  func largeBody() async throws {
    var limits = WebLimits()
    limits.bodyBytes = 100_000
    let server = try await TestServer(limits: limits, handler: Self.handler)
    let headers = [server.origin, "Authorization: Bearer \(TestServer.token)"]
    let body = String(repeating: "x", count: 100_000)
    #expect(try server.ask("POST /", headers, body: body).body == "100000")
    let client = try server.client()
    client.send(server.request("POST /", headers + ["Content-Length: 100001"]))
    #expect(try client.answer().status == 413)
    #expect(try client.readToEnd() == "")
    #expect(try server.ask("POST /", headers + ["Transfer-Encoding: chunked"]).status == 411)
    await server.stop()
  }

  @Test(
    "a method with a NUL is an unknown method and is rejected",
    arguments: ["GET\0 / ", "GET\0\0 / ", "GET\0x / ", "HEAD\0 / "]
  )
  func methodWithNUL(line: String) async throws {
    let server = try await TestServer(handler: Self.handler)
    let client = try server.client()
    client.send("\(line)HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    let answer = try client.readToEnd()
    #expect(answer.isEmpty || answer.contains(" 400 "), "\(answer)")
    await server.stop()
  }

  @Test(
    "input that is not HTTP closes its connection or is rejected; later requests are served",
    arguments: [
      "\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "\0\0\0\0\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
      "GET  \r\n\r\n", "/ / /\r\n\r\n", "GET / HTTP/1.1\r\nnonsense\r\n\r\n",
      "GET / HTTP/1.1\r\n: x\r\n\r\n", "GET /%00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{fc}\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ]
  )
  func nonsense(text: String) async throws {
    var limits = WebLimits()
    // Longer than a request takes on a busy machine.
    limits.requestTime = .seconds(5)
    let server = try await TestServer(limits: limits, handler: Self.handler)
    let client = try server.client()
    client.send(text)
    shutdown(client.descriptor, Int32(SHUT_WR))
    let answer = try client.readToEnd()
    #expect(
      answer.isEmpty || answer.contains(" 400 ") || answer.contains(" 405 ")
        || answer.contains(" 505 ")
    )
    #expect(try server.ask("GET /").status == 200)
    await server.stop()
  }

  @Test("a client that sends byte by byte is closed at the time limit for a request")
  func slowSender() async throws {
    var limits = WebLimits()
    limits.requestTime = .milliseconds(500)
    let server = try await TestServer(limits: limits, handler: Self.handler)
    let headers = [server.origin, "Authorization: Bearer \(TestServer.token)"]
    for start in ["", server.request("POST /", headers + ["Content-Length: 100000"])] {
      let client = try server.client()
      client.send(start)
      // A byte each millisecond keeps the connection from being idle.
      #expect(
        eventually {
          poll(nil, 0, 1)
          return !client.send("x")
        }
      )
    }
    let idle = try server.client()
    #expect(try idle.readToEnd() == "")
    await server.stop()
  }

  @Test("a slow reader is closed at the answer time limit, a stopped one at the idle limit")
  func slowReader() async throws {
    var limits = WebLimits()
    limits.answerTime = .milliseconds(500)
    let dripping = try await TestServer(limits: limits, handler: Self.handler)
    let client = try dripping.client(buffer: 4096)
    client.send(dripping.request("GET /large"))
    var byte: UInt8 = 0
    #expect(
      eventually {
        poll(nil, 0, 1)
        _ = recv(client.descriptor, &byte, 1, 0)
        return dripping.server.load.connections == 0
      }
    )
    await dripping.stop()
    limits = WebLimits()
    limits.stallTime = .seconds(1)
    let stopping = try await TestServer(limits: limits, handler: Self.handler)
    let stopped = try stopping.client(buffer: 4096)
    stopped.send(stopping.request("GET /large"))
    #expect(try stopped.head().status == 200)
    #expect(eventually { stopping.server.load.connections == 0 })
    await stopping.stop()
  }

  @Test("connections beyond the limit are closed at once, and the others are still served")
  func tooManyFromOne() async throws {
    var limits = WebLimits()
    limits.connectionsPerAddress = 10
    let server = try await TestServer(limits: limits, handler: Self.handler)
    let open = try (0..<10).map { _ in try server.client() }
    #expect(eventually { server.server.load.connections == 10 })
    for _ in 0..<10 { #expect(try server.client().readToEnd() == "") }
    for client in open {
      client.send(server.request("GET /"))
      #expect(try client.answer().status == 200)
    }
    await server.stop()
  }

  @Test("a thousand connections at once are served, and a thousand more are turned away")
  func thousand() async {
    await #expect(processExitsWith: .success) {
      try setDescriptorLimit(to: 4096)
      var limits = WebLimits()
      limits.connections = 1000
      limits.connectionsPerAddress = 1000
      // The first connection waits for the last one: before its request, and between its two requests.
      (limits.requestTime, limits.stallTime) = (.seconds(300), .seconds(300))
      let server = try await TestServer(limits: limits) { _ in .page("x") }
      let clients = try (0..<1000).map { _ in try server.client() }
      for client in clients { client.send(server.request("GET /")) }
      for client in clients {
        guard try client.answer().status == 200 else { throw RawClient.Failure("no answer") }
      }
      for _ in 0..<1000 {
        guard try server.client().readToEnd() == "" else {
          throw RawClient.Failure("one too many was served")
        }
      }
      for client in clients { client.send(server.request("GET /")) }
      for client in clients {
        guard try client.answer().status == 200 else { throw RawClient.Failure("no answer") }
      }
      await server.stop()
    }
  }

  @Test("without a free descriptor connections are rejected; later they are served again")
  func noDescriptors() async {
    await #expect(processExitsWith: .success) {
      try setDescriptorLimit(to: 256)
      let server = try await TestServer { _ in .page("x") }
      let open = try server.client()
      open.send(server.request("GET /"))
      guard try open.answer().status == 200 else { throw RawClient.Failure("no answer") }
      // The sockets of the flood are created first; then all remaining descriptors are used up.
      let flood = (0..<20).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
      var used: [Int32] = []
      while case let descriptor = dup(0), descriptor >= 0 { used.append(descriptor) }
      for descriptor in flood {
        connectSocket(descriptor, to: server.port)
        // Closed without an answer, soon.
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var byte: UInt8 = 0
        guard poll(&polled, 1, 60_000) == 1, recv(descriptor, &byte, 1, 0) <= 0 else {
          throw RawClient.Failure("a connection was served without a descriptor")
        }
      }
      open.send(server.request("GET /"))
      guard try open.answer().status == 200 else { throw RawClient.Failure("no answer") }
      for descriptor in flood + used { close(descriptor) }
      guard try server.ask("GET /").status == 200 else { throw RawClient.Failure("no answer") }
      await server.stop()
    }
  }

  @Test("if even the reserve descriptor does not help, the server waits idly and serves later")
  func noReserve() async {
    await #expect(processExitsWith: .success) {
      var limits = WebLimits()
      limits.heartbeat = .milliseconds(50)
      let server = try await TestServer(limits: limits) { request in
        request.path == "/events" ? .events(EventFeed()) : .page("x")
      }
      let stream = try server.client()
      stream.send(server.request("GET /events"))
      _ = try stream.read(to: ":\n\n")
      let waiting = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      let before = try setDescriptorLimit(to: 3)
      connectSocket(waiting, to: server.port)
      // The processor is idle for as long as twenty heartbeats.
      let start = processorTime()
      for _ in 0..<20 { _ = try stream.read(to: ":\n\n") }
      guard processorTime() - start < .milliseconds(300) else {
        throw RawClient.Failure("\(processorTime() - start) of the processor")
      }
      _ = try setDescriptorLimit(to: before)
      let request = Array(server.request("GET /", ["Connection: close"]).utf8)
      send(waiting, request, request.count, Int32(MSG_NOSIGNAL))
      var polled = pollfd(fd: waiting, events: Int16(POLLIN), revents: 0)
      var bytes = [UInt8](repeating: 0, count: 64)
      guard poll(&polled, 1, 60_000) == 1, recv(waiting, &bytes, 64, 0) > 12,
        String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 200")
      else { throw RawClient.Failure("the connection that waited was not served") }
      await server.stop()
    }
  }

  @Test("idle connections and streams take no processor time")
  func idle() async {
    await #expect(processExitsWith: .success) {
      var limits = WebLimits()
      limits.heartbeat = .milliseconds(50)
      let server = try await TestServer(limits: limits) { request in
        switch request.path {
        case "/events": return .events(EventFeed())
        case "/wait":
          try? await Loop.current.sleep(for: .seconds(600))
          return .noContent
        default: return .page("x")
        }
      }
      let clients = try ["/events", "/events", "/", "/wait"].map { path in
        let client = try server.client()
        client.send(server.request("GET \(path)"))
        return client
      }
      clients[2].send("GET / HT")
      _ = try clients[0].read(to: ":\n\n")
      let start = processorTime()
      for _ in 0..<20 { _ = try clients[0].read(to: ":\n\n") }
      guard processorTime() - start < .milliseconds(300) else {
        throw RawClient.Failure("\(processorTime() - start) of the processor")
      }
      await server.stop(within: .milliseconds(500))
    }
  }
}

/// The time that this process has used the processors for.
private func processorTime() -> Duration { EventLoop.time(CLOCK_PROCESS_CPUTIME_ID) }

/// Connects a socket that was made before; the connection waits until it is accepted.
private func connectSocket(_ socket: Int32, to port: UInt16) {
  var name = sockaddr_in()
  name.sin_family = sa_family_t(AF_INET)
  name.sin_port = port.bigEndian
  inet_pton(AF_INET, "127.0.0.1", &name.sin_addr)
  withUnsafeBytes(of: &name) { bytes in
    _ = connect(
      socket,
      bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
      socklen_t(bytes.count)
    )
  }
}

/// Sets how many descriptors this process may have, and returns how many it could have before.
@discardableResult
private func setDescriptorLimit(to count: UInt) throws -> UInt {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  let before = limit.rlim_cur
  limit.rlim_cur = min(count, limit.rlim_max)
  guard limit.rlim_cur == count, setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
  else { throw RawClient.Failure("the limit of descriptors cannot be set") }
  return before
}
