// One source, many observers: who observes, what they missed, and how it ended.
//
// The common part of the subjects and of shared signals. Each observer has a mailbox of its own.

/// Gives values to those who observe, and the recent ones to those who come late.
final class Broadcast<Value: Sendable>: Sendable {
  private struct State {
    var nextID: UInt64 = 0
    var mailboxes: [(id: UInt64, mailbox: Mailbox<Value>)] = []
    var recent: RecentValues<Value>
    var ending: Result<Void, any Error>?
  }

  /// A place among the observers.
  struct Seat: Sendable {
    fileprivate let id: UInt64
    fileprivate let missed: [Value]
    fileprivate let mailbox: Mailbox<Value>
  }

  private let state: Guarded<State>
  private let bufferLimit: Int

  /// - Parameters:
  ///   - replayCount: How many recent values a late observer gets.
  ///   - bufferLimit: How many values may wait for one observer.
  init(replaying replayCount: Int, bufferLimit: Int) {
    state = Guarded(State(recent: RecentValues(limit: replayCount)))
    self.bufferLimit = bufferLimit
  }

  /// Sends a value to everybody who observes now. Ignored after the end.
  func send(_ value: Value) {
    let mailboxes = state.withLock { state -> [(id: UInt64, mailbox: Mailbox<Value>)] in
      guard state.ending == nil else { return [] }
      state.recent.append(value)
      return state.mailboxes
    }
    for (_, mailbox) in mailboxes { mailbox.send(value) }
  }

  /// Ends all observers, once they have taken what was sent before, and later ones. The first
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

  /// Takes a place: what is sent from now on is kept for it.
  func takeSeat() -> Seat {
    state.withLock { state in
      state.nextID += 1
      let mailbox = Mailbox<Value>(bound: bufferLimit)
      if let ending = state.ending {
        mailbox.finish(ending)
      } else {
        state.mailboxes.append((state.nextID, mailbox))
      }
      return Seat(id: state.nextID, missed: state.recent.values, mailbox: mailbox)
    }
  }

  /// Gives `sink` what comes to a place, first what was missed, to the end; then leaves the place.
  func observe(from seat: Seat, on loop: Loop, _ sink: (Value) async throws -> Void) async throws {
    defer { state.withLock { $0.mailboxes.removeAll { $0.id == seat.id } } }
    for value in seat.missed { try await sink(value) }
    while let value = try await seat.mailbox.next(on: loop) { try await sink(value) }
  }

  /// What is observed from the moment of starting on.
  var signal: Signal<Value> {
    Signal { [self] sink in
      let loop = try Loop.current
      try await observe(from: takeSeat(), on: loop, sink)
    }
  }
}
