// The path of notified values from the bus to one subscriber.

import Bluetooth
import Signals

/// A bounded queue of one subscriber; the producer never waits.
final class NotificationMailbox: Sendable {
  private struct State {
    var queue: NotificationQueue
    var ending: (any Error)?
    /// bluetoothd has to be asked for the subscription again.
    var isInterrupted = false
    /// Since when values may be missing; nil when none are.
    var openGap: Instant?
    /// When the gap ended whose mark was taken before.
    var gapEnd: Instant?
    /// How many entries were taken since the last one that was waited for.
    var takenAtOnce = 0

    var isReady: Bool { !queue.isEmpty || ending != nil }

    mutating func closeGap(at instant: Instant) {
      guard openGap != nil else { return }
      openGap = nil
      if !queue.resumed(at: instant) { gapEnd = instant }
    }
  }

  /// How many waiting entries are taken before the loop does other work.
  static let mostAtOnce = 64

  let options: SubscriptionOptions
  private let state: Awaited<State>

  init(_ options: SubscriptionOptions) {
    self.options = options
    state = Awaited(State(queue: NotificationQueue(bound: options.buffer, rule: options.overflow)))
  }

  /// Adds a value; ignored when the mailbox has ended.
  func send(_ notification: NotifiedValue) {
    state.change { state in
      guard state.ending == nil else { return }
      // A subscription that bluetoothd has kept delivers before it is confirmed.
      state.closeGap(at: notification.at)
      if !state.queue.put(notification) { state.ending = BufferOverflow(bound: options.buffer) }
    }
  }

  /// The subscription has ended by itself at `instant`: the subscriber fails after the buffered
  /// values, or resumes if it wants to and that can help.
  func end(_ problem: Cause, at instant: Instant) {
    let code = problem.code
    state.change { state in
      guard state.ending == nil else { return }
      let isLoss = code == .linkLost || state.isInterrupted && code == .notConnected
      if options.onLinkLoss == .resume, isLoss {
        // A dropped connection, the objects removed with it, and an attempt to resume that was
        // undone are one loss.
        if state.openGap == nil {
          state.queue.lost(at: instant)
          state.openGap = instant
        }
        state.isInterrupted = true
      } else {
        state.ending = problem
      }
    }
  }

  /// The subscription is active again: what ends it from now on is another loss.
  func resumed(at instant: Instant) {
    state.withLock { state in
      state.isInterrupted = false
      state.closeGap(at: instant)
    }
  }

  /// Whether the subscription has to be resumed.
  var isInterrupted: Bool { state.withLock { $0.isInterrupted && $0.ending == nil } }

  /// Ends an interrupted subscription: it is not resumed.
  func endInterrupted(_ problem: Cause) {
    state.change { if $0.isInterrupted, $0.ending == nil { $0.ending = problem } }
  }

  /// When the interruption ended whose mark was taken last; nil when it has not.
  func takeGapEnd() -> Instant? {
    state.withLock { state in
      defer { state.gapEnd = nil }
      return state.gapEnd
    }
  }

  /// Waits for the next entry. Entries that are there already are taken without a wait; after so many
  /// of them the loop does other work first.
  ///
  /// - Throws: The failure that ended the mailbox, after its contents; the errors of a wait.
  func next(on loop: Loop, operation: String) async throws -> NotificationQueue.Entry {
    if let entry = takeAtOnce() { return entry }
    while true {
      let isLate = state.withLock { $0.isReady && $0.takenAtOnce == Self.mostAtOnce }
      if isLate {
        try await wait(on: loop, operation: operation) { done in loop.post { done.succeed(()) } }
      } else {
        // Also for an existing entry: a subscriber that was cancelled receives none.
        try await state.until(operation, on: loop) { $0.isReady ? () : nil }
      }
      let next: Result<NotificationQueue.Entry, any Error>? = state.withLock { state in
        state.takenAtOnce = 0
        if let entry = state.queue.take() { return .success(entry) }
        return state.ending.map { .failure($0) }
      }
      if let next { return try next.get() }
    }
  }

  /// An entry that is there, unless so many were taken that the loop has to get its turn.
  private func takeAtOnce() -> NotificationQueue.Entry? {
    guard !Task.isCancelled else { return nil }
    return state.withLock { state in
      guard state.takenAtOnce < Self.mostAtOnce, let entry = state.queue.take() else { return nil }
      state.takenAtOnce += 1
      return entry
    }
  }
}
