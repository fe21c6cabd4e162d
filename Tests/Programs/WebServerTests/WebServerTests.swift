// A server as browsers see it: over sockets, in real time.

import Fixtures
import Glibc
import Signals
import Testing

@testable import WebServer

@Suite("Web server", .blocking)
struct WebServerTests {
  /// Answers with what was asked.
  private static let echo: WebServer.Handler = { request in
    switch request.segments.first {
    case nil: return .page("<h1>index</h1>")
    case "echo":
      let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
      let body = String(decoding: request.body, as: UTF8.self)
      return WebResponse(text: "\(request.method.rawValue) \(request.path) \(query) \(body)")
    case "break":
      return WebResponse(
        headers: [.init("X-Own", "a\r\nX-Forged: b"), .init("X-Kept", "c")], text: ""
      )
    default: return .notFound
    }
  }

  @Test("requests on one connection are answered in order")
  func keepAlive() async throws {
    let server = try await TestServer(handler: Self.echo)
    let client = try server.client()
    client.send(server.request("GET /echo/a%20b?x=1&y=%26"))
    #expect(try client.answer().body == "GET /echo/a b x=1,y=& ")
    let post = server.request(
      "POST /echo", [server.origin, "Authorization: Bearer \(TestServer.token)"], body: "hello"
    )
    client.send(post + server.request("GET /echo/2"))
    #expect(try client.answer().body == "POST /echo  hello")
    #expect(try client.answer().body == "GET /echo/2  ")
    await server.stop()
    #expect(try client.readToEnd() == "")
    #expect(server.server.load == .init())
  }

  @Test("every answer has the security headers")
  func securityHeaders() async throws {
    let server = try await TestServer(handler: Self.echo)
    for (line, status) in [
      ("GET /", 200), ("HEAD /", 200), ("GET /none", 404), ("POST /", 403), ("GET /login", 200),
      ("PATCH /", 405), ("GET /../", 400), ("OPTIONS /", 405), ("TRACE /", 405),
    ] {
      let answer = try server.ask(line)
      #expect(answer.status == status, "\(line)")
      let policy = try #require(answer.headers["content-security-policy"])
      #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
      #expect(policy.contains("frame-ancestors 'none'; base-uri 'none'; form-action 'self'"))
      #expect(answer.headers["x-content-type-options"] == "nosniff")
      #expect(answer.headers["cache-control"] == "no-store")
      #expect(answer.headers["cross-origin-resource-policy"] == "same-origin")
      let isLogin = line.hasSuffix("login")
      #expect(answer.headers["referrer-policy"] == (isLogin ? "same-origin" : "no-referrer"))
    }
    for line in ["PATCH /", "OPTIONS /", "TRACE /"] {
      #expect(try server.ask(line).headers["allow"] == "GET, HEAD, POST, PUT, DELETE", "\(line)")
    }
    let (get, head) = (try server.ask("GET /"), try server.ask("HEAD /"))
    #expect(head.headers["content-length"] == get.headers["content-length"] && head.body == "")
    await server.stop()
  }

  @Test("a header with a line break in it is not sent")
  func forgedHeader() async throws {
    let server = try await TestServer(handler: Self.echo)
    let answer = try server.ask("GET /break")
    #expect(answer.headers["x-forged"] == nil && answer.headers["x-own"] == nil)
    #expect(answer.headers["x-kept"] == "c")
    await server.stop()
  }

  @Test("the token from the form becomes a session cookie that differs from the token")
  func login() async throws {
    let server = try await TestServer(handler: Self.echo)
    #expect(try server.ask("GET /login").body.contains("action=\"/login\""))
    let wrong = try server.ask("POST /login", [server.origin], body: "token=wrong")
    #expect(wrong.status == 403 && wrong.body.contains("Wrong token"))
    #expect(wrong.headers["set-cookie"] == nil)
    let right = try server.ask("POST /login", [server.origin], body: "token=\(TestServer.token)")
    #expect(right.status == 303 && right.headers["location"] == "/")
    let cookie = try #require(right.headers["set-cookie"])
    #expect(cookie.hasPrefix("session_\(server.port)="))
    #expect(cookie.hasSuffix("; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict"))
    #expect(!cookie.contains(TestServer.token))
    let session = "Cookie: " + cookie.prefix { $0 != ";" }
    #expect(try server.ask("POST /echo", [server.origin, session], body: "x").status == 200)
    #expect(try server.ask("POST /echo", [server.origin], body: "x").status == 401)
    #expect(try server.ask("POST /echo", [session], body: "x").status == 403)
    await server.stop()
  }

  @Test("after a few wrong tokens, the right one is not compared either")
  func guessing() async throws {
    var limits = WebLimits()
    limits.wrongTokens = 3
    let server = try await TestServer(limits: limits, handler: Self.echo)
    let statuses = try ["wrong", "wrong", "wrong", TestServer.token].map { token in
      try server.ask("POST /echo", [server.origin, "Authorization: Bearer \(token)"]).status
    }
    #expect(statuses == [401, 401, 401, 429])
    let login = try server.ask("POST /login", [server.origin], body: "token=\(TestServer.token)")
    #expect(login.status == 429)
    #expect(try server.ask("GET /").status == 200)
    await server.stop()
  }

  @Test("changing requests are rate-limited by address")
  func changes() async throws {
    var limits = WebLimits()
    limits.changes = 3
    limits.changePause = .seconds(60)
    let server = try await TestServer(limits: limits, handler: Self.echo)
    let statuses = try (0..<5).map { _ in
      try server.ask("POST /echo", [server.origin, "Authorization: Bearer \(TestServer.token)"])
        .status
    }
    #expect(statuses == [200, 200, 200, 429, 429])
    await server.stop()
  }

  @Test("a handler that takes too long is cancelled, and its browser gets 503")
  func slowHandler() async throws {
    var limits = WebLimits()
    // Longer than the quick one takes on a busy machine.
    limits.handlingTime = .seconds(5)
    let cancelled = Counter()
    let server = try await TestServer(limits: limits) { request in
      guard request.path == "/slow" else { return .page("quick") }
      do {
        try await Loop.current.sleep(for: .seconds(60))
      } catch {
        cancelled.add()
      }
      return .page("late")
    }
    let client = try server.client()
    client.send(server.request("GET /slow"))
    #expect(try client.answer().status == 503)
    client.send(server.request("GET /"))
    #expect(try client.answer().body == "quick")
    await server.stop()
    #expect(cancelled.count == 1)
  }

  // MARK: Unix sockets

  @Test("a Unix socket is accessible to its owner only, and is removed at the end")
  func unixSocket() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/serve.sock"
    let server = try await TestServer(place: .unix(path: path), handler: Self.echo)
    #expect(server.address == .init(url: nil, port: nil, text: "unix:\(path)"))
    var file = stat()
    #expect(lstat(path, &file) == 0 && file.st_mode & 0o7777 == 0o600)
    let client = try RawClient(path: path)
    client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(try client.answer().body == "<h1>index</h1>")
    await #expect(throws: WebServerFailure.self) {
      try await TestServer(place: .unix(path: path), handler: Self.echo)
    }
    await server.stop()
    #expect(lstat(path, &file) == -1)
  }

  @Test("a socket file without a listener is replaced; any other file is not")
  func staleSocket() async throws {
    let folder = try TemporaryFolder()
    let (stale, file) = (folder.path + "/stale", folder.path + "/file")
    let (descriptor, place) = try BoundPlace.bind(.unix(path: stale))
    close(descriptor)
    #expect(place.address.text == "unix:\(stale)")
    let server = try await TestServer(place: .unix(path: stale), handler: Self.echo)
    await server.stop()
    close(open(file, O_CREAT | O_WRONLY, 0o600))
    await #expect(throws: WebServerFailure.self) {
      try await TestServer(place: .unix(path: file), handler: Self.echo)
    }
    #expect(access(file, F_OK) == 0)
  }

  @Test("a port that is in use is reported, with the reason")
  func portInUse() async throws {
    let server = try await TestServer(handler: Self.echo)
    await #expect(
      throws: WebServerFailure.cannotListen(
        place: "127.0.0.1:\(server.port)", reason: "Address already in use"
      )
    ) {
      try await TestServer(place: .loopback(port: server.port), handler: Self.echo)
    }
    await server.stop()
  }
}
