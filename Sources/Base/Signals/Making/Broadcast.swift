// Distributes values from one source to many observers, each with its own mailbox.
//
// The common part of subjects and shared signals. It does not start or stop the source.

/// Sends values to all present observers, and recent values to late ones.
final class Broadcast<Value: Sendable>: Sendable {
  private struct State {
    var nextID: UInt64 = 0
    var mailboxes: [(id: UInt64, mailbox: Mailbox<Value>)] = []
    var recent: RecentValues<Value>
    var ending: Result<Void, any Error>?
  }

  /// A registered observer.
  struct Observer: Sendable {
    fileprivate let id: UInt64
    fileprivate let missed: [Value]
    fileprivate let mailbox: Mailbox<Value>
  }

  private let state: Guarded<State>
  private let bufferLimit: Int

  /// - Parameters:
  ///   - replayCount: The number of recent values that a late observer gets.
  ///   - bufferLimit: The number of values that may wait for one observer.
  init(replaying replayCount: Int, bufferLimit: Int) {
    state = Guarded(State(recent: RecentValues(limit: replayCount)))
    self.bufferLimit = bufferLimit
  }

  /// Sends a value to all present observers. Ignored after the end.
  func send(_ value: Value) {
    let mailboxes = state.withLock { state -> [(id: UInt64, mailbox: Mailbox<Value>)] in
      guard state.ending == nil else { return [] }
      state.recent.append(value)
      return state.mailboxes
    }
    for (_, mailbox) in mailboxes { mailbox.send(value) }
  }

  /// Ends all present observers, after the values sent before, and all later ones. Only the first
  /// ending counts.
  func end(_ ending: Result<Void, any Error>) {
    let mailboxes = state.withLock { state in
      if state.ending == nil { state.ending = ending }
      defer { state.mailboxes = [] }
      return state.mailboxes
    }
    for (_, mailbox) in mailboxes { mailbox.finish(ending) }
  }

  var observerCount: Int { state.withLock { $0.mailboxes.count } }

  /// Registers an observer: values are queued for it from now on.
  func addObserver() -> Observer {
    state.withLock { state in
      state.nextID += 1
      let mailbox = Mailbox<Value>(bound: bufferLimit)
      if let ending = state.ending {
        mailbox.finish(ending)
      } else {
        state.mailboxes.append((state.nextID, mailbox))
      }
      return Observer(id: state.nextID, missed: state.recent.values, mailbox: mailbox)
    }
  }

  /// Passes the recent values and then all further ones to `sink`, until the end; then removes the
  /// observer.
  func observe(as observer: Observer, on loop: Loop, _ sink: (Value) async throws -> Void)
    async throws
  {
    defer { state.withLock { $0.mailboxes.removeAll { $0.id == observer.id } } }
    for value in observer.missed { try await sink(value) }
    while let value = try await observer.mailbox.next(on: loop) { try await sink(value) }
  }

  /// A signal of the values sent after its start, preceded by the recent ones.
  var signal: Signal<Value> {
    Signal { [self] sink in
      let loop = try Loop.current
      try await observe(as: addObserver(), on: loop, sink)
    }
  }
}
