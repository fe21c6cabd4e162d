// One connection of a browser, from its acceptance to its end.

import CMicroHTTPD
import Glibc
import Signals

/// A request whose body is still to come.
struct PendingRequest {
  let decision: AccessDecision
  let headers: [WebRequest.Field]
  var body: [UInt8] = []
}

/// One connection, which serves one request after the other.
final class Connection: @unchecked Sendable {
  // Everything is touched only by callbacks of the loop, which makes one at a time.
  enum Phase {
    /// Waiting for a request, or for the rest of one.
    case receiving(PendingRequest?)
    /// Suspended, while a handler is asked.
    case handling(Task<Void, any Error>)
    /// Resumed, to be given this answer.
    case ready(WebResponse)
    case answering
    case streaming(StreamAnswer)
  }

  let accepted: AcceptedConnection
  /// What libmicrohttpd calls it; nil before and after.
  var handle: OpaquePointer?
  var phase = Phase.receiving(nil)
  /// The target of the present request, as it was sent.
  var target = ""
  /// The beginning and the end of a text in the memory of libmicrohttpd.
  typealias Bounds = (start: UnsafePointer<CChar>, end: UnsafePointer<CChar>)
  /// Where the target is. It is compared only.
  var targetBounds: Bounds?
  var isHead = false
  /// How many requests have come; for what is late.
  var requests = 0
  /// Ends the phase when it lasts for too long.
  var timer: LoopTimer?

  init(_ accepted: AcceptedConnection) { self.accepted = accepted }

  static func at(_ pointer: UnsafeMutableRawPointer) -> Connection {
    Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Has libmicrohttpd find that the connection is closed.
  func abort() { _ = shutdown(accepted.descriptor, Int32(SHUT_RDWR)) }

  /// Settings of its socket.
  ///
  /// - Parameter stall: After how long data that nobody acknowledges ends the connection.
  func configure(stall: Duration) {
    // What the kernel holds for a browser that does not read is old when it reads again.
    var bytes: Int32 = 64 << 10
    setsockopt(accepted.descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, 4)
    var one: Int32 = 1
    setsockopt(accepted.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    var milliseconds = UInt32(clamping: Int64(stall / .milliseconds(1)))
    setsockopt(accepted.descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, 4)
  }
}

/// The answer that is a stream of events: fills what libmicrohttpd sends, and suspends the connection
/// where nothing is there to be sent.
final class StreamAnswer: @unchecked Sendable {
  // `isWoken` is guarded; everything else is touched only by callbacks of the loop.
  let feed: EventFeed
  private let daemon: Daemon
  private weak var connection: Connection?
  private var isSuspended = false
  private var hasEnded = false
  private var heartbeat: LoopTimer?
  /// Whether a call of `resume` is queued: one serves any number of events.
  private let isWoken = Guarded(false)

  init(_ feed: EventFeed, on connection: Connection, of daemon: Daemon) {
    self.feed = feed
    self.connection = connection
    self.daemon = daemon
  }

  static func at(_ pointer: UnsafeMutableRawPointer) -> StreamAnswer {
    Unmanaged<StreamAnswer>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Begins to serve the feed; false when another answer does.
  func begin() -> Bool {
    guard feed.serve({ [weak self] in self?.wake() }) else { return false }
    daemon.countStream(1)
    arm()
    return true
  }

  /// From any thread.
  private func wake() {
    let isFirst = isWoken.withLock { isWoken in
      defer { isWoken = true }
      return !isWoken
    }
    if isFirst { daemon.loop.post { self.resume() } }
  }

  func resume() {
    isWoken.withLock { $0 = false }
    guard isSuspended, let handle = connection?.handle else { return }
    isSuspended = false
    MHD_resume_connection(handle)
    daemon.wake()
  }

  private func arm() {
    heartbeat = daemon.loop.after(daemon.limits.heartbeat) { [weak self] in
      guard let self, !hasEnded else { return }
      feed.beat()
      arm()
    }
  }

  /// Fills the buffer of libmicrohttpd: how much, 0 for nothing now, -1 for the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    switch feed.take(into: buffer) {
    case .bytes(let count): return count
    case .end: return -1
    case .nothing:
      guard let handle = connection?.handle else { return -1 }
      isSuspended = true
      MHD_suspend_connection(handle)
      return 0
    }
  }

  /// Whoever fed it may stop. Once.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    heartbeat?.cancel()
    daemon.countStream(-1)
    feed.end()
  }
}
