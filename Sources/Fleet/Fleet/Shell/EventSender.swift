// Sends the events of one run to its followers: to the gateway's disk first, then to the store.
//
// EventChunking divides the events into chunks, and EventSending decides what is sent; this class
// has the timers.

import Signals

/// Sends the events of a run in chunks.
package final class EventSender: Sendable {
  private struct State {
    var chunking: EventChunking
    var sending: EventSending
    /// The digest of the events on the gateway's disk.
    var kept: EventDigest
    /// Whether a chunk could not be written. Later ones are dropped: they would follow a gap.
    var hasFailed = false
    var timer: LoopTimer?
    /// The callback of ``finish(_:)``.
    var finished: (@Sendable () -> Void)?
  }

  /// The maximum time that the end of a run waits for its chunks to be sent.
  private static let patience = Duration.seconds(3)

  private let id: Gateway.ChainID
  private let log: EventLog
  private let store: any JobStore
  private let settings: FleetSettings
  private let clock: any MemberClock
  private let alarm: MemberAlarm
  private let handle: @Sendable (Gateway.Event) -> Void
  private let state: Guarded<State>

  /// Creates the sender of a run.
  ///
  /// - Parameter handle: Called with events for the gateway's state machine.
  package init(
    _ id: Gateway.ChainID, of job: JobID, to log: EventLog, _ store: some JobStore,
    _ settings: FleetSettings, _ clock: some MemberClock,
    handle: @escaping @Sendable (Gateway.Event) -> Void
  ) {
    self.id = id
    self.log = log
    self.store = store
    self.settings = settings
    self.clock = clock
    self.handle = handle
    alarm = MemberAlarm(on: clock)
    // A chain that is tried again under the same claim continues the numbers of its chunks.
    let earlier = log.chunks(of: id.nonce)
    let sending = EventSending(
      of: job, nonce: id.nonce, pause: settings.retryAfter, hasEarlier: !earlier.isEmpty
    )
    state = Guarded(
      State(
        chunking: EventChunking(nonce: id.nonce, after: earlier), sending: sending,
        kept: EventDigest(of: earlier)
      )
    )
  }

  /// Adds an event, a line of JSON. One larger than a chunk is dropped.
  package func add(_ line: String) {
    let now = clock.now
    let full = state.withLock { try? $0.chunking.add(line, at: now) }
    if let full = full ?? nil { keep(full) }
    setTimer()
  }

  private func setTimer() {
    state.withLock { state in
      guard state.timer == nil, let next = state.chunking.next else { return }
      // Set inside the lock: the timer may fire before this line has ended.
      state.timer = clock.after(next - clock.now) { [self] in
        // The clock of a timer may run a little faster.
        let due = self.state.withLock { state in
          state.timer = nil
          return state.chunking.due(at: max(next, clock.now))
        }
        if let due { keep(due) }
        setTimer()
      }
    }
  }

  /// Writes a chunk to the disk, then queues it for sending.
  private func keep(_ chunk: EventChunk) {
    guard !state.withLock({ $0.hasFailed }) else { return }
    guard log.keep(chunk) else {
      state.withLock { $0.hasFailed = true }
      return handle(.journalFailed(id))
    }
    let kept = state.withLock { state in
      for event in chunk.events { state.kept.add(event) }
      state.sending.add(chunk)
      return state.kept
    }
    handle(.reported(id, kept))
    advance()
  }

  private func advance() {
    let now = clock.now
    let (request, next) = state.withLock { state in
      (state.sending.advance(at: now), state.sending.next)
    }
    alarm.wake(at: next) { [weak self] in self?.advance() }
    if let request {
      store.perform(request, within: settings.requestLimit) { [self] answer in
        state.withLock { $0.sending.answered(answer, at: clock.now) }
        advance()
      }
    }
    guard state.withLock({ $0.sending.isDone }) else { return }
    let finished = state.withLock { state in
      defer { state.finished = nil }
      return state.finished
    }
    finished?()
  }

  /// Ends the events of the run: those that wait become the last chunk.
  package func close() {
    let rest = state.withLock { state in
      state.timer?.cancel()
      state.timer = nil
      return state.chunking.flush()
    }
    if let rest { keep(rest) }
  }

  /// Calls `done` when all chunks are sent, at most after ``patience``. Chunks that still wait are
  /// skipped.
  package func finish(_ done: @escaping @Sendable () -> Void) {
    if state.withLock({ $0.sending.isDone }) { return done() }
    let timer = clock.after(Self.patience) { [self] in
      state.withLock { $0.sending.giveUp() }
      advance()
    }
    state.withLock { state in
      state.finished = {
        timer.cancel()
        done()
      }
    }
  }
}
