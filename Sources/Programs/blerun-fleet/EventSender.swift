// Sends the events of one run to its followers.
//
// Each chunk is written to the gateway's disk first, then appended to the store. A chunk that the store does
// not accept in time is skipped: followers see the gap in the numbers and request the chunk from the
// gateway.

import Fleet
import Jobs
import Signals

/// Sends the events of a run in chunks.
final class EventSender: Sendable {
  private struct State {
    var chunking: EventChunking
    /// The digest of the events on the gateway's disk.
    var kept: EventDigest
    /// Whether a chunk could not be written. Later ones are dropped: they would follow a gap.
    var hasFailed = false
    var waiting: [EventChunk] = []
    var timer: LoopTimer?
    var task: Task<Void, any Error>?
    /// The revision of the subject's last chunk; nil when it is not known.
    var last: Revision?
  }

  /// The most chunks that wait to be sent; the oldest are skipped.
  private static let mostWaiting = 64
  /// How long the end of a run waits until its chunks are sent.
  private static let patience = Duration.seconds(3)

  private let key: StoreKey
  private let id: Gateway.ChainID
  private let parts: GatewayParts
  private let handle: @Sendable (Gateway.Event) -> Void
  private let json = JSONLinesReport()
  private let state: Guarded<State>
  private var loop: Loop { parts.loop }

  /// Creates the sender of a run.
  ///
  /// - Parameter handle: Called with events for the gateway's state machine.
  init(
    _ id: Gateway.ChainID, of job: JobID, _ parts: GatewayParts,
    handle: @escaping @Sendable (Gateway.Event) -> Void
  ) {
    key = .events(of: job)
    self.id = id
    self.parts = parts
    self.handle = handle
    // A chain that is tried again under the same claim continues the numbers of its chunks.
    let earlier = parts.events.chunks(of: id.nonce)
    state = Guarded(
      State(
        chunking: EventChunking(nonce: id.nonce, after: earlier),
        kept: EventDigest(of: earlier),
        // Nearly always the job has no events in the store yet: try without reading first.
        last: earlier.isEmpty ? 0 : nil
      )
    )
  }

  /// Adds an event. An event larger than a chunk is dropped.
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

  /// Writes a chunk to the disk, then queues it for sending.
  private func keep(_ chunk: EventChunk) {
    guard !state.withLock({ $0.hasFailed }) else { return }
    guard parts.events.keep(chunk) else {
      state.withLock { $0.hasFailed = true }
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

  /// Appends a chunk to the store, after reading the last revision if necessary.
  ///
  /// - Returns: Whether the chunk is stored.
  private func send(_ chunk: EventChunk) async throws -> Bool {
    if let last = state.withLock({ $0.last }) {
      let answer = try await append(chunk, after: last)
      if answer != .refused { return answer.isApplied }
    }
    // The last chunk is not the expected one: read it.
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

  /// Ends the events of the run: those that wait become the last chunk.
  func close() {
    let rest = state.withLock { state in
      state.timer?.cancel()
      state.timer = nil
      return state.chunking.flush()
    }
    if let rest { keep(rest) }
  }

  /// Waits until all chunks are sent, at most for ``patience``.
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
