// The state of one connection, from its acceptance to its end.
//
// Daemon decides the phases; libmicrohttpd reads and writes the socket.

import CMicroHTTPD
import Glibc
import Signals

/// An allowed request whose body has not arrived completely.
struct PendingRequest {
  let decision: AccessDecision
  let headers: [WebRequest.Field]
  var body: [UInt8] = []
}

/// One connection, which serves one request after another.
final class Connection: @unchecked Sendable {
  // Everything is used only by callbacks of the loop, which run one at a time.
  enum Phase {
    /// Waiting for a request (nil), or for the rest of its body.
    case receiving(PendingRequest?)
    /// Suspended while the handler runs.
    case handling(Task<Void, any Error>)
    /// Resumed with this answer; libmicrohttpd will ask for it.
    case ready(WebResponse)
    case answering
    case streaming(StreamAnswer)
  }

  let accepted: AcceptedConnection
  /// The connection of libmicrohttpd; nil before it has started and after it has ended.
  var handle: OpaquePointer?
  var phase = Phase.receiving(nil)
  /// The target of the current request, as it was sent.
  var target = ""
  /// The end of the target in the memory of libmicrohttpd. Only compared, never dereferenced.
  var targetEnd: UnsafePointer<CChar>?
  var isHead = false
  /// The number of completed requests. It identifies a request, so that a late answer to an earlier one is
  /// ignored.
  var requests = 0
  /// Ends the current phase at its limit.
  var timer: LoopTimer?

  init(_ accepted: AcceptedConnection) { self.accepted = accepted }

  static func at(_ pointer: UnsafeMutableRawPointer) -> Connection {
    Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Shuts the socket down, upon which libmicrohttpd closes the connection.
  func abort() { _ = shutdown(accepted.descriptor, Int32(SHUT_RDWR)) }

  /// Sets the options of the socket.
  ///
  /// - Parameter stall: The time after which unacknowledged data ends the connection.
  func configure(stall: Duration) {
    // A small send buffer: events in the kernel's buffer would be outdated when a slow browser reads them.
    var bytes: Int32 = 64 << 10
    setsockopt(accepted.descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, 4)
    var one: Int32 = 1
    setsockopt(accepted.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    var milliseconds = UInt32(clamping: Int64(stall / .milliseconds(1)))
    setsockopt(accepted.descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, 4)
  }
}

/// An answer that is a stream of events. It suspends the connection while there is nothing to send.
final class StreamAnswer: @unchecked Sendable {
  // `isWoken` is guarded; everything else is used only by callbacks of the loop.
  let feed: EventFeed
  private let daemon: Daemon
  private weak var connection: Connection?
  private var isSuspended = false
  private var hasEnded = false
  private var heartbeat: LoopTimer?
  /// Whether a call of `resume` is already posted to the loop.
  private let isWoken = Guarded(false)

  init(_ feed: EventFeed, on connection: Connection, of daemon: Daemon) {
    self.feed = feed
    self.connection = connection
    self.daemon = daemon
  }

  static func at(_ pointer: UnsafeMutableRawPointer) -> StreamAnswer {
    Unmanaged<StreamAnswer>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Begins to serve the feed. Returns false if another answer already serves it.
  func begin() -> Bool {
    guard feed.serve({ [weak self] in self?.wake() }) else { return false }
    daemon.countStream(1)
    arm()
    return true
  }

  /// Posts a call of `resume`. Called on any thread.
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

  /// Fills the buffer of libmicrohttpd. Returns the number of bytes, 0 for nothing now, -1 for the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    switch feed.read(into: buffer) {
    case .bytes(let count): return count
    case .end: return -1
    case .nothing:
      guard let handle = connection?.handle else { return -1 }
      isSuspended = true
      MHD_suspend_connection(handle)
      return 0
    }
  }

  /// Ends the feed, which calls its close handlers; further calls do nothing.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    heartbeat?.cancel()
    daemon.countStream(-1)
    feed.end()
  }
}
