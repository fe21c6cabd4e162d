// The server-sent events of one browser: a queue between the devices, which never wait, and a
// connection that may be slow.
//
// Which events are kept is decided by EventQueue.

import Signals

/// One server-sent event.
package struct ServerEvent: Equatable, Sendable {
  /// What a script listens for: `source.addEventListener("value", …)`. Line breaks are removed.
  package let name: String
  /// The data, in any number of lines; usually JSON.
  package let data: String

  /// An event of this name.
  package init(_ name: String, data: String) {
    self.name = name
    self.data = data
  }
}

/// The events that one browser is still to receive.
///
/// The queue is bounded and the newest events are kept: where older ones were dropped, the browser
/// receives an event `missed` with the data `{"events":12}` in their place. The server sends a
/// comment as heartbeat to a quiet browser, and so finds those that left.
///
/// ```
/// let feed = EventFeed()
/// let subscription = hub.subscribe { feed.send(ServerEvent("value", data: $0)) }
/// feed.onClose { subscription.cancel() }
/// return .events(feed)
/// ```
package final class EventFeed: Sendable {
  private struct State {
    var queue: EventQueue
    var isServed = false
    /// Resumes the connection; set while it is served.
    var wake: Wake?
    var closeHandlers: [CloseHandler] = []
  }

  private struct Wake { let call: @Sendable () -> Void }
  private struct CloseHandler { let call: @Sendable () -> Void }

  private let state: Guarded<State>

  /// An empty feed.
  ///
  /// - Parameters:
  ///   - bound: How many events wait at most.
  ///   - bytes: How much text waits at most. An event larger than that is counted as missed.
  package init(bound: Int = 512, bytes: Int = 1 << 20) {
    state = Guarded(State(queue: EventQueue(bound: bound, bytes: bytes)))
  }

  /// Puts an event into the queue; ignored once the feed is closed. Never waits; from any thread.
  package func send(_ event: ServerEvent) {
    state.withLock { state in
      state.queue.push(event) ? state.wake : nil
    }?.call()
  }

  /// Ends the answer once the browser has received what is in the queue. May be called twice.
  package func close() {
    state.withLock { state in
      state.queue.close()
      return state.wake
    }?.call()
  }

  /// How many events were dropped so far because the browser was too slow.
  package var missed: Int { state.withLock { $0.queue.missed } }

  /// Whether the feed takes no events any more: it was closed, the browser left, or the server ended.
  package var isClosed: Bool { state.withLock { $0.queue.isClosed } }

  /// Calls `handler` once, when the answer has ended: the place to unsubscribe. At once if it has.
  package func onClose(_ handler: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if state.queue.isOver { return true }
      state.closeHandlers.append(CloseHandler(call: handler))
      return false
    }
    if isOver { handler() }
  }

  // MARK: The connection's side

  /// Begins to serve the feed; false when another answer does.
  ///
  /// - Parameter wake: Called when there is something to send; from any thread.
  func serve(_ wake: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard !state.isServed else { return false }
      state.isServed = true
      state.wake = Wake(call: wake)
      return true
    }
  }

  /// Fills `buffer` from the queue.
  func take(into buffer: UnsafeMutableRawBufferPointer) -> EventQueue.Taken {
    state.withLock { $0.queue.take(into: buffer) }
  }

  /// Has a heartbeat sent when nothing else waits.
  func beat() {
    state.withLock { state in
      state.queue.beat()
      return state.wake
    }?.call()
  }

  /// The answer has ended: nothing is sent any more.
  func end() {
    let handlers = state.withLock { state in
      state.queue.end()
      state.wake = nil
      defer { state.closeHandlers = [] }
      return state.closeHandlers
    }
    for handler in handlers { handler.call() }
  }
}
