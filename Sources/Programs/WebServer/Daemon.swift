// The running server: libmicrohttpd on the event loop, its connections, its beginning and its end.
//
// What happens to a request is in Daemon+Requests.

import CMicroHTTPD
import Glibc
import Signals

/// A started server.
final class Daemon: @unchecked Sendable {
  // `load` is guarded; everything else is constant, or touched only by callbacks and tasks of `loop`,
  // which runs one at a time. libmicrohttpd has no thread and calls back from within `MHD_run`.
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
  /// Ended with the server: keeps the loop turning for it.
  private var served: Completion<Void>?
  /// Ended when no connection is left.
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

  // MARK: Begin

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

  /// Keeps the loop turning until the end, which may also be that of the loop.
  private func serve() {
    _ = loop.task { [self] in
      try? await wait(on: loop, operation: "serving") { served = $0 }
      finish()
    }
  }

  /// Takes in a connection, unless there are too many.
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
    // One that is refused was closed.
    isAdded ? awaitRequest(of: connection) : forget(connection)
    countConnections()
    wake()
  }

  // MARK: Turning

  /// Has libmicrohttpd run soon. On the loop.
  func wake() {
    guard !isWoken else { return }
    isWoken = true
    loop.post { [self] in
      isWoken = false
      run()
    }
  }

  /// Has libmicrohttpd do what there is to do, and notes when it wants to be called again.
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

  /// libmicrohttpd has begun with a connection that was added.
  func opened(_ handle: OpaquePointer) -> UnsafeMutableRawPointer? {
    guard let connection = connections[web_descriptor(handle)] else { return nil }
    connection.handle = handle
    return Unmanaged.passRetained(connection).toOpaque()
  }

  /// libmicrohttpd is about to close the socket of a connection.
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

  /// A request is over, however it ended; the connection may have another.
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

  /// Does something when the present phase of a connection lasts for longer.
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

  // MARK: End

  /// Ends the server within a limit: streams are closed, and answers that are under way may end.
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
      // What follows takes a moment, too.
      let patience = limit - min(limit / 10, .milliseconds(100))
      try? await wait(on: loop, operation: "closing connections", limit: patience) { emptied = $0 }
    }
    finish()
  }

  /// Ends the server at once.
  func finish() {
    guard let server else { return }
    isStopping = true
    listener?.close()
    // libmicrohttpd stops the program when it ends with a suspended connection.
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
    // What start() has retained.
    Unmanaged.passUnretained(self).release()
  }
}
