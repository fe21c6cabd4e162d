// The handling of one request: decide, receive the body, call the handler, answer.
//
// Starting and stopping the server, and its connections, are in Daemon.swift.

import CMicroHTTPD
import Signals

extension Daemon {
  /// Handles the headers of a request, a piece of its body, or (with an empty piece) its end. Returns false to
  /// close the connection.
  func receive(
    _ connection: Connection, _ method: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>,
    _ piece: UnsafeRawBufferPointer
  ) -> Bool {
    switch connection.phase {
    case .receiving(nil): return begin(connection, method, version)
    case .receiving(var pending?):
      guard !piece.isEmpty else { return handle(pending, of: connection) }
      // The announced length was checked before; this is the actual one.
      guard pending.body.count + piece.count <= limits.bodyBytes else { return false }
      // Drop the other reference to the body first, so that appending does not copy it.
      connection.phase = .receiving(nil)
      pending.body += piece
      connection.phase = .receiving(pending)
      return true
    case .ready(let response): return answer(response, to: connection)
    case .handling, .answering, .streaming: return true
    }
  }

  /// Decides about a request by its headers. A refused request is answered before its body is read, and its
  /// connection is closed.
  private func begin(
    _ connection: Connection, _ method: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>
  ) -> Bool {
    guard let handle = connection.handle else { return false }
    let headers = Callbacks.headers(of: handle, behind: method, connection.targetEnd, version)
    let method = String(cString: method)
    connection.isHead = method == "HEAD"
    let head = RequestHead(
      method: method, target: connection.target, headers: headers.fields,
      arrivedAt: connection.accepted.arrivedAt, isMended: headers.isMended
    )
    let decision = decide(head, from: connection.accepted.remote)
    switch decision {
    case .refuse(let refusal): return answer(refusal.response, to: connection)
    case .goToLogin: return answer(.seeOther("/login"), to: connection)
    case .handle, .loginForm, .logIn:
      connection.phase = .receiving(PendingRequest(decision: decision, headers: head.headers))
      return true
    }
  }

  /// Decides about a request, and counts it for the rate limits of its address.
  private func decide(_ head: RequestHead, from remote: String) -> AccessDecision {
    guard !isStopping else { return .refuse(.stopping) }
    let now = loop.now
    let check = AccessCheck(
      rules: rules, limits: limits, port: listener?.address.port, sessions: sessions, now: now,
      isHeldBack: wrongTokens.isReached(by: remote, at: now)
    )
    let decision = check.decide(head)
    switch decision {
    case .refuse(.wrongToken): wrongTokens.count(remote, at: now)
    case .handle(let method, _) where method.changesState:
      guard !changes.isReached(by: remote, at: now) else { return .refuse(.tooManyChanges) }
      changes.count(remote, at: now)
    case .handle, .loginForm, .logIn, .goToLogin, .refuse: break
    }
    return decision
  }

  // MARK: Handling

  /// Handles a complete request.
  private func handle(_ pending: PendingRequest, of connection: Connection) -> Bool {
    switch pending.decision {
    case .handle(let method, let target):
      let request = WebRequest(
        method, segments: target.segments, query: target.query, headers: pending.headers,
        body: pending.body
      )
      return callHandler(request, for: connection)
    case .logIn: return answer(logIn(pending.body, from: connection), to: connection)
    case .loginForm: return answer(form(isRetry: false), to: connection)
    // These were answered without waiting for the body.
    case .goToLogin, .refuse: return false
    }
  }

  /// Calls the handler, and suspends the connection until it has answered or its limit has passed.
  private func callHandler(_ request: WebRequest, for connection: Connection) -> Bool {
    guard let handle = connection.handle else { return false }
    let number = connection.requests
    let task = loop.task { [self] in
      let response = await handler(request)
      deliver(response, to: connection, number)
    }
    connection.phase = .handling(task)
    limit(connection, to: limits.handlingTime) { [self] connection in
      task.cancel()
      deliver(.unavailable("The answer takes too long"), to: connection, number)
    }
    MHD_suspend_connection(handle)
    return true
  }

  /// Delivers a handler's answer, unless the request has ended or was answered at its limit.
  private func deliver(_ response: WebResponse, to connection: Connection, _ number: Int) {
    guard case .handling = connection.phase, connection.requests == number else {
      if case .events(let feed) = response.body { feed.end() }
      return
    }
    resume(connection, with: response)
    wake()
  }

  /// Resumes a connection, so that libmicrohttpd asks for its answer.
  func resume(_ connection: Connection, with response: WebResponse) {
    guard let handle = connection.handle else { return }
    connection.phase = .ready(response)
    MHD_resume_connection(handle)
  }

  // MARK: Logging in

  private func form(isRetry: Bool) -> WebResponse {
    var page = loginPage(isRetry)
    // With `no-referrer`, browsers would send the form with `Origin: null`, which is refused.
    page.headers.append(.init("Referrer-Policy", "same-origin"))
    if isRetry { page.status = 403 }
    return page
  }

  private func logIn(_ body: [UInt8], from connection: Connection) -> WebResponse {
    let (remote, now) = (connection.accepted.remote, loop.now)
    // Check again: many requests may have been allowed before the first one was counted.
    guard !wrongTokens.isReached(by: remote, at: now) else {
      return AccessDecision.Refusal.tooManyTries.response
    }
    let fields = FormFields.parse(Substring(decoding: body, as: UTF8.self)) ?? []
    guard let field = fields.first(where: { $0.name == "token" }), rules.token.matches(field.value)
    else {
      wrongTokens.count(remote, at: now)
      return form(isRetry: true)
    }
    let secret = SecretText.generated()
    sessions.begin(secret, at: now)
    let name = AccessCheck.cookieName(port: listener?.address.port)
    let age = limits.sessionTime.components.seconds
    var response = WebResponse.seeOther("/")
    response.headers.append(
      .init(
        "Set-Cookie",
        "\(name)=\(secret.revealed); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict"
      )
    )
    return response
  }

  // MARK: Answering

  /// Queues an answer. Returns false to close the connection.
  private func answer(_ response: WebResponse, to connection: Connection) -> Bool {
    let made: OpaquePointer?
    switch response.body {
    case .bytes(let bytes): made = Self.make(bytes)
    case .events(let feed) where connection.isHead:
      feed.end()
      made = Self.make([])
    case .events(let feed):
      guard load.withLock({ $0.streams }) < limits.streams,
        let stream = begin(feed, on: connection)
      else {
        feed.end()
        return answer(.unavailable("Too many event streams"), to: connection)
      }
      made = stream
    }
    guard let made, let handle = connection.handle else { return false }
    defer { MHD_destroy_response(made) }
    for header in SecurityHeaders.headers(of: response) {
      MHD_add_response_header(made, header.name, header.value)
    }
    if isStopping { MHD_add_response_header(made, "Connection", "close") }
    switch connection.phase {
    case .streaming: limit(connection, to: nil)
    case .receiving, .handling, .ready, .answering:
      connection.phase = .answering
      limit(connection, to: limits.answerTime)
    }
    let status = (200...599).contains(response.status) ? response.status : 500
    return MHD_queue_response(handle, UInt32(status), made) == .YES
  }

  private static func make(_ bytes: [UInt8]) -> OpaquePointer? {
    bytes.withUnsafeBytes { bytes in
      MHD_create_response_from_buffer(
        bytes.count,
        UnsafeMutableRawPointer(mutating: bytes.baseAddress),
        .RESPMEM_MUST_COPY
      )
    }
  }

  /// Creates a response that sends the events of a feed; nil if another answer already serves the feed.
  private func begin(_ feed: EventFeed, on connection: Connection) -> OpaquePointer? {
    let stream = StreamAnswer(feed, on: connection, of: self)
    guard stream.begin() else { return nil }
    let made = MHD_create_response_from_callback(
      UInt64.max,
      16 << 10,
      { stream, _, buffer, count in
        guard let stream else { return -1 }
        let buffer = UnsafeMutableRawBufferPointer(start: buffer, count: count)
        return StreamAnswer.at(stream).read(into: buffer)
      },
      Unmanaged.passRetained(stream).toOpaque(),
      { stream in
        guard let stream else { return }
        Unmanaged<StreamAnswer>.fromOpaque(stream).takeRetainedValue().end()
      }
    )
    guard let made else {
      Unmanaged.passUnretained(stream).release()
      stream.end()
      return nil
    }
    connection.phase = .streaming(stream)
    return made
  }
}
