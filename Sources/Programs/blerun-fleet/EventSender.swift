// The events of one run on their way to whoever follows it.
//
// Chunks go to the gateway's disk first, then to the store, one behind the other. What the store does not
// take in time is left out: a follower sees the gap in the numbers, and asks the gateway for it.

import Fleet
import Jobs
import Signals

/// Sends the events of a run in chunks.
final class EventSender: Sendable {
  private struct State {
    var chunking: EventChunking
    /// The events on the gateway's disk.
    var kept: EventDigest
    /// A chunk could not be kept: those behind it are of no use.
    var isCut = false
    var waiting: [EventChunk] = []
    var timer: LoopTimer?
    var task: Task<Void, any Error>?
    /// The revision of the last record of the subject; nil when it is not known.
    var last: Revision?
  }

  /// How many chunks may wait; the oldest are left out.
  private static let mostWaiting = 64
  /// How long the end of a run waits for its chunks.
  private static let patience = Duration.seconds(3)

  private let key: StoreKey
  private let id: Gateway.ChainID
  private let parts: GatewayParts
  private let handle: @Sendable (Gateway.Event) -> Void
  private let json = JSONLinesReport()
  private let state: Guarded<State>
  private var loop: Loop { parts.loop }

  /// - Parameter handle: Takes what happens to the gateway.
  init(
    _ id: Gateway.ChainID, of job: JobID, _ parts: GatewayParts,
    handle: @escaping @Sendable (Gateway.Event) -> Void
  ) {
    key = .events(of: job)
    self.id = id
    self.parts = parts
    self.handle = handle
    // A chain that is tried again under its claim continues its events.
    let earlier = parts.events.chunks(of: id.nonce)
    state = Guarded(
      State(
        chunking: EventChunking(nonce: id.nonce, after: earlier),
        kept: EventDigest(of: earlier),
        // Most often the job has no events yet: it is not asked for them.
        last: earlier.isEmpty ? 0 : nil
      )
    )
  }

  /// Adds an event. One that is longer than a chunk is left out.
  @Sendable func add(_ event: RunEvent) {
    let now = loop.now
    for line in json.lines(for: event) {
      let full = state.withLock { try? $0.chunking.add(line, at: now) }
      if let full = full ?? nil { keep(full) }
    }
    setTimer()
  }

  private func setTimer() {
    guard let next = state.withLock({ $0.timer == nil ? $0.chunking.next : nil }) else { return }
    let timer = loop.at(next) { [self] in
      let due = state.withLock { state in
        state.timer = nil
        return state.chunking.due(at: loop.now)
      }
      if let due { keep(due) }
      setTimer()
    }
    state.withLock { $0.timer = timer }
  }

  /// Keeps a chunk, then has it sent.
  private func keep(_ chunk: EventChunk) {
    guard !state.withLock({ $0.isCut }) else { return }
    guard parts.events.keep(chunk) else {
      state.withLock { $0.isCut = true }
      return handle(.journalFailed(id))
    }
    let kept = state.withLock { state in
      for event in chunk.events { state.kept.add(event) }
      return state.kept
    }
    handle(.reported(id, kept))
    enqueue(chunk)
  }

  private func enqueue(_ chunk: EventChunk) {
    let isFirst = state.withLock { state in
      state.waiting.append(chunk)
      if state.waiting.count > Self.mostWaiting { state.waiting.removeFirst() }
      return state.task == nil
    }
    guard isFirst else { return }
    let task = loop.task { [self] in
      defer { state.withLock { $0.task = nil } }
      while let next = state.withLock({ $0.waiting.first }) {
        guard try await send(next) else {
          try await loop.sleep(for: .seconds(1))
          continue
        }
        state.withLock { state in state.waiting.removeAll { $0.number <= next.number } }
      }
    }
    state.withLock { $0.task = task }
  }

  /// - Returns: Whether the chunk is stored.
  private func send(_ chunk: EventChunk) async throws -> Bool {
    if let last = state.withLock({ $0.last }) {
      let answer = try await append(chunk, after: last)
      if answer != .refused { return answer.isApplied }
    }
    // What is there is read before the next attempt.
    guard case .entries(let found) = try await parts.store.ask(.last(key), on: loop) else {
      return false
    }
    let last = found.first?.revision ?? 0
    if case .events(let stored)? = found.first?.value, stored.nonce == id.nonce,
      stored.number >= chunk.number
    {
      state.withLock { $0.last = last }
      return true
    }
    return try await append(chunk, after: last).isApplied
  }

  private func append(_ chunk: EventChunk, after last: Revision) async throws -> StoreAnswer {
    let request = StoreRequest.append(key, .events(chunk), expecting: last)
    let answer = try await parts.store.ask(request, on: loop)
    if case .applied(let revision) = answer {
      state.withLock { $0.last = revision }
    } else {
      state.withLock { $0.last = nil }
    }
    return answer
  }

  /// The run has had all its events: those that wait are a chunk.
  func close() {
    let rest = state.withLock { state in
      state.timer?.cancel()
      state.timer = nil
      return state.chunking.flush()
    }
    if let rest { keep(rest) }
  }

  /// Waits until everything is sent, as long as that may take.
  func finish() async {
    guard let task = state.withLock({ $0.task }) else { return }
    let limit = loop.after(Self.patience) { task.cancel() }
    _ = try? await task.value
    limit.cancel()
  }
}

extension StoreAnswer {
  fileprivate var isApplied: Bool { if case .applied = self { true } else { false } }
}
