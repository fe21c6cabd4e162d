// A signal fed by hand, for many observers.

/// A source of values that code outside signals feeds.
///
/// It is hot: an observer gets what is sent while it observes. Values may be sent from any thread;
/// each observer gets them in the order of sending, through a buffer of its own.
public final class Subject<Value: Sendable>: Sendable {
  private struct State {
    var nextID: UInt64 = 0
    var mailboxes: [(id: UInt64, mailbox: Mailbox<Value>)] = []
    var ending: Result<Void, any Error>?
  }

  private let state = Guarded(State())
  private let bufferLimit: Int

  /// Makes a subject that nobody observes.
  ///
  /// - Parameter bufferLimit: How many values may wait for one observer before that observer fails
  ///   with ``BufferOverflow``.
  public init(bufferLimit: Int = 65_536) {
    self.bufferLimit = bufferLimit
  }

  /// Sends a value to everybody who observes now. Ignored after the end.
  public func send(_ value: Value) {
    for (_, mailbox) in state.withLock({ $0.mailboxes }) { mailbox.send(value) }
  }

  /// Completes every observer, once it has taken what was sent before; and later ones at once.
  public func complete() { end(.success(())) }

  /// Fails every observer, once it has taken what was sent before; and later ones at once.
  public func fail(_ error: any Error) { end(.failure(error)) }

  private func end(_ ending: Result<Void, any Error>) {
    let mailboxes = state.withLock { state in
      if state.ending == nil { state.ending = ending }
      defer { state.mailboxes = [] }
      return state.mailboxes
    }
    for (_, mailbox) in mailboxes { mailbox.finish(ending) }
  }

  /// How many observers there are.
  public var observerCount: Int { state.withLock { $0.mailboxes.count } }

  /// What is sent from the moment of starting on.
  public var signal: Signal<Value> {
    Signal { [self] sink in
      let loop = try Carried.requireLoop()
      let mailbox = Mailbox<Value>(bound: bufferLimit)
      let id: UInt64 = state.withLock { state in
        state.nextID += 1
        if let ending = state.ending {
          mailbox.finish(ending)
        } else {
          state.mailboxes.append((state.nextID, mailbox))
        }
        return state.nextID
      }
      defer { state.withLock { $0.mailboxes.removeAll { $0.id == id } } }
      while let value = try await mailbox.next(on: loop) { try await sink(value) }
    }
  }
}
