// The running server: libmicrohttpd on the event loop, its start, its connections, its stop.
//
// Requests are handled in Daemon+Requests.

import CMicroHTTPD
import Glibc
import Signals

/// A started server.
final class Daemon: @unchecked Sendable {
  // `load` is guarded; everything else is constant, or used only by callbacks and tasks of `loop`, which
  // run one at a time. libmicrohttpd has no thread: it calls back only from within `MHD_run`.
  let loop: Loop
  let rules: AccessRules
  let limits: WebLimits
  let loginPage: @Sendable (Bool) -> WebResponse
  let handler: WebServer.Handler
  let load = Guarded(WebServer.Load())

  var sessions: Sessions
  var wrongTokens: RateLimit
  var changes: RateLimit
  private(set) var isStopping = false
  private(set) var listener: Listener?
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
  func limit(
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
  func finish() {
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
