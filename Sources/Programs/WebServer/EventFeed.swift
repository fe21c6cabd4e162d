// The server-sent events of one browser: a queue between senders, which never wait, and a connection that
// may be slow.
//
// EventQueue decides which events are dropped.

import Signals

/// One server-sent event.
package struct ServerEvent: Equatable, Sendable {
  /// The type that a script listens for: `source.addEventListener("value", …)`. Line breaks are removed.
  package let name: String
  /// The data, in any number of lines; usually JSON.
  package let data: String

  /// Creates an event.
  package init(_ name: String, data: String) {
    self.name = name
    self.data = data
  }
}

/// The events for one browser.
///
/// The queue is bounded: when it is full, the oldest events are dropped, and the browser receives an event
/// `missed` with the data `{"events":12}` in their place. If there are no events, the server sends
/// comments as heartbeats, which detect closed connections.
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

  /// Creates an empty feed.
  ///
  /// - Parameters:
  ///   - bound: The most events that wait.
  ///   - bytes: The most bytes of text that wait. A larger event is dropped and counts as missed.
  package init(bound: Int = 512, bytes: Int = 1 << 20) {
    state = Guarded(State(queue: EventQueue(bound: bound, bytes: bytes)))
  }

  /// Queues an event, unless the feed is closed. Never waits. May be called on any thread.
  package func send(_ event: ServerEvent) {
    state.withLock { state in
      state.queue.push(event) ? state.wake : nil
    }?.call()
  }

  /// Ends the answer after the browser has received the queued events. May be called repeatedly.
  package func close() {
    state.withLock { state in
      state.queue.close()
      return state.wake
    }?.call()
  }

  /// The number of events dropped so far because the browser was too slow.
  package var missed: Int { state.withLock { $0.queue.missed } }

  /// Whether events are ignored: the feed was closed, the browser disconnected, or the server ended.
  package var isClosed: Bool { state.withLock { $0.queue.isClosed } }

  /// Registers a handler that is called once, when the answer has ended; immediately if it already has.
  /// Use it to cancel the subscription that fills the feed.
  package func onClose(_ handler: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if state.queue.isOver { return true }
      state.closeHandlers.append(CloseHandler(call: handler))
      return false
    }
    if isOver { handler() }
  }

  // MARK: The connection's side

  /// Begins to serve the feed. Returns false if another answer already serves it.
  ///
  /// - Parameter wake: Called on any thread when there is something to send.
  func serve(_ wake: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard !state.isServed else { return false }
      state.isServed = true
      state.wake = Wake(call: wake)
      return true
    }
  }

  /// Writes queued events to the buffer.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> EventQueue.ReadResult {
    state.withLock { $0.queue.read(into: buffer) }
  }

  /// Queues a heartbeat, unless something else is waiting.
  func beat() {
    state.withLock { state in
      state.queue.beat()
      return state.wake
    }?.call()
  }

  /// Ends the feed with its answer, and calls the close handlers.
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
