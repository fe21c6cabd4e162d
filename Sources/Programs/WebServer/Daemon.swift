// The running server: libmicrohttpd on the event loop, its start, its connections and requests, its stop.
//
// AccessDecision decides which requests are allowed; WebServer is the interface.

import CMicroHTTPD
import Glibc
import Signals

/// A started server.
final class Daemon: @unchecked Sendable {
  // `load` is guarded; everything else is constant, or used only by callbacks and tasks of `loop`, which
  // run one at a time. libmicrohttpd has no thread: it calls back only from within `MHD_run`.
  let loop: Loop
  private let rules: AccessRules
  let limits: WebLimits
  private let loginPage: @Sendable (Bool) -> WebResponse
  private let handler: WebServer.Handler
  let load = Guarded(WebServer.Load())

  private var sessions: Sessions
  private var wrongTokens: RateLimit
  private var changes: RateLimit
  private var isStopping = false
  private var listener: Listener?
  private var server: OpaquePointer?
  /// The open connections by their descriptors.
  private var connections: [Int32: Connection] = [:]
  private var byAddress: [String: Int] = [:]
  private var watch: Watch?
  private var timer: LoopTimer?
  private var isWoken = false
  /// Completed when the server ends. A task waits for it, which keeps the loop running.
  private var served: Completion<Void>?
  /// Completed when no connection is left.
  private var emptied: Completion<Void>?

  init(
    on loop: Loop, _ rules: AccessRules, _ limits: WebLimits,
    loginPage: @escaping @Sendable (Bool) -> WebResponse, handler: @escaping WebServer.Handler
  ) {
    self.loop = loop
    self.rules = rules
    self.limits = limits
    self.loginPage = loginPage
    self.handler = handler
    sessions = Sessions(bound: limits.sessions, duration: limits.sessionTime)
    wrongTokens = RateLimit(burst: limits.wrongTokens, pause: limits.wrongTokenPause)
    changes = RateLimit(burst: limits.changes, pause: limits.changePause)
  }

  // MARK: Start

  /// Begins to listen.
  func start() throws(WebServerFailure) -> WebServer.Address {
    let context = Unmanaged.passRetained(self)
    var callbacks = Callbacks.all(context.toOpaque())
    let started = web_start(
      &callbacks,
      UInt32(clamping: limits.connections),
      max(64 << 10, 4 * limits.headerBytes),
      UInt32(clamping: max(1, limits.stallTime.components.seconds)),
      Callbacks.isLenient ? 0 : 1
    )
    guard let started else {
      context.release()
      throw .noServer
    }
    server = started
    do throws(WebServerFailure) {
      let listener = try Listener(at: rules.place, on: loop) { [weak self] in self?.add($0) }
      self.listener = listener
      watch = loop.watch(web_epoll_descriptor(started), for: .readable) { [weak self] _ in
        self?.run()
      }
      serve()
      return listener.address
    } catch {
      finish()
      throw error
    }
  }

  /// Keeps the loop running until the server ends. If the loop ends first, it ends the server.
  private func serve() {
    _ = loop.task { [self] in
      try? await wait(on: loop, operation: "serving") { served = $0 }
      finish()
    }
  }

  /// Adds an accepted connection, or closes it if there are too many.
  private func add(_ accepted: AcceptedConnection) {
    let isUnix = accepted.remote == "unix"
    let count = byAddress[accepted.remote] ?? 0
    guard let server, !isStopping, connections.count < limits.connections,
      isUnix || count < limits.connectionsPerAddress
    else {
      close(accepted.descriptor)
      return
    }
    let connection = Connection(accepted)
    if !isUnix { connection.configure(stall: limits.stallTime) }
    connections[accepted.descriptor] = connection
    byAddress[accepted.remote] = count + 1
    var name = accepted.name
    let isAdded = withUnsafeBytes(of: &name) { bytes in
      bytes.baseAddress.map {
        MHD_add_connection(
          server,
          accepted.descriptor,
          $0.assumingMemoryBound(to: sockaddr.self),
          accepted.nameLength
        ) == .YES
      } ?? false
    }
    // If libmicrohttpd refused the connection, it has closed the socket.
    isAdded ? awaitRequest(of: connection) : forget(connection)
    countConnections()
    wake()
  }

  // MARK: Running libmicrohttpd

  /// Posts a call of `run`. Called on the loop.
  func wake() {
    guard !isWoken else { return }
    isWoken = true
    loop.post { [self] in
      isWoken = false
      run()
    }
  }

  /// Lets libmicrohttpd work, and sets the timer for its next call.
  private func run() {
    guard let server else { return }
    _ = MHD_run(server)
    timer?.cancel()
    timer = nil
    var milliseconds: UInt64 = 0
    guard MHD_get_timeout(server, &milliseconds) == .YES else { return }
    if milliseconds == 0 {
      wake()
    } else {
      timer = loop.after(.milliseconds(min(milliseconds, 3_600_000))) { [weak self] in self?.run() }
    }
  }

  // MARK: Connections

  /// Handles that libmicrohttpd has started an added connection.
  func opened(_ handle: OpaquePointer) -> UnsafeMutableRawPointer? {
    guard let connection = connections[web_descriptor(handle)] else { return nil }
    connection.handle = handle
    return Unmanaged.passRetained(connection).toOpaque()
  }

  /// Handles that libmicrohttpd is about to close the socket of a connection.
  func closed(_ pointer: UnsafeMutableRawPointer) {
    let connection = Unmanaged<Connection>.fromOpaque(pointer).takeRetainedValue()
    connection.handle = nil
    forget(connection)
    countConnections()
    if connections.isEmpty { emptied?.succeed(()) }
  }

  private func forget(_ connection: Connection) {
    end(connection.phase)
    connection.timer?.cancel()
    connections[connection.accepted.descriptor] = nil
    let left = (byAddress[connection.accepted.remote] ?? 1) - 1
    byAddress[connection.accepted.remote] = left > 0 ? left : nil
  }

  /// Handles the end of a request, successful or not. Another may follow on the connection.
  func completed(_ connection: Connection) {
    end(connection.phase)
    connection.phase = .receiving(nil)
    connection.requests += 1
    isStopping ? connection.abort() : awaitRequest(of: connection)
  }

  private func end(_ phase: Connection.Phase) {
    switch phase {
    case .handling(let task): task.cancel()
    case .streaming(let stream): stream.end()
    case .receiving, .ready, .answering: break
    }
  }

  private func awaitRequest(of connection: Connection) {
    limit(connection, to: limits.requestTime) { $0.abort() }
  }

  /// Sets the limit of the current phase of a connection; `passed` is called when it has passed.
  private func limit(
    _ connection: Connection, to duration: Duration?,
    _ passed: @escaping @Sendable (Connection) -> Void = { $0.abort() }
  ) {
    connection.timer?.cancel()
    connection.timer = duration.map { duration in
      loop.after(duration) { [weak connection] in
        if let connection { passed(connection) }
      }
    }
  }

  func countStream(_ change: Int) { load.withLock { $0.streams += change } }

  private func countConnections() {
    let count = connections.count
    load.withLock { $0.connections = count }
  }

  // MARK: Stop

  /// Stops the server within a limit: closes streams, and lets pending answers end.
  func stop(within limit: Duration) async {
    guard server != nil else { return }
    isStopping = true
    listener?.close()
    for connection in connections.values {
      switch connection.phase {
      case .receiving: connection.abort()
      case .streaming(let stream): stream.feed.close()
      case .handling, .ready, .answering: break
      }
    }
    if !connections.isEmpty {
      // Reserve some of the limit for `finish`.
      let patience = limit - min(limit / 10, .milliseconds(100))
      try? await wait(on: loop, operation: "closing connections", limit: patience) { emptied = $0 }
    }
    finish()
  }

  /// Ends the server immediately.
  private func finish() {
    guard let server else { return }
    isStopping = true
    listener?.close()
    // libmicrohttpd aborts the process if a connection is suspended when it stops.
    for connection in connections.values {
      switch connection.phase {
      case .handling(let task):
        task.cancel()
        resume(connection, with: AccessDecision.Refusal.stopping.response)
      case .streaming(let stream):
        stream.feed.end()
        stream.resume()
      case .receiving, .ready, .answering: break
      }
    }
    _ = MHD_run(server)
    self.server = nil
    watch?.cancel()
    timer?.cancel()
    MHD_stop_daemon(server)
    served?.succeed(())
    emptied?.succeed(())
    // Balances the retain in `start`.
    Unmanaged.passUnretained(self).release()
  }
}

// MARK: - Requests

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
    let headers = Callbacks.headers(of: handle, behind: method, connection.targetBounds, version)
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
  private func resume(_ connection: Connection, with response: WebResponse) {
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
