// Events of a gateway's chains: written to its journal, sent to followers, and resent on request.

import Fleet
import Signals

extension SimulatedGateway {
  /// Reports one event of a chain.
  func report(_ chain: Gateway.ChainID, _ event: String) {
    let (full, due) = state.withLock { state in
      let full = try? state.runs[chain.nonce]?.events.add(event, at: clock.now)
      return (full ?? nil, state.runs[chain.nonce]?.events.next)
    }
    if let full { keep(full, of: chain) }
    guard let due else { return }
    fleet.loop.after(
      due - clock.now,
      inProcess { [self] in
        let now = max(due, clock.now)
        if let chunk = state.withLock({ $0.runs[chain.nonce]?.events.due(at: now) }) {
          keep(chunk, of: chain)
        }
      }
    )
  }

  /// Sends the buffered events before the chain ends.
  func flush(_ chain: Gateway.ChainID) {
    if let chunk = state.withLock({ $0.runs[chain.nonce]?.events.flush() }) {
      keep(chunk, of: chain)
    }
  }

  private func keep(_ chunk: EventChunk, of chain: Gateway.ChainID) {
    guard let job = run(chain)?.job.id else { return }
    let digest = state.withLock { state -> EventDigest? in
      let kept = state.chunks[chain.nonce] ?? []
      // A chunk without its predecessor is useless.
      guard !state.isDiskFull, kept.count == chunk.number else { return nil }
      state.chunks[chain.nonce] = kept + [chunk]
      return EventDigest(of: kept + [chunk])
    }
    guard let digest else { return }
    send(chunk, of: job)
    handle(.reported(chain, digest))
  }

  private func send(_ chunk: EventChunk, of job: JobID) {
    let request = StoreRequest.publish(.events(of: job), .events(chunk))
    store.perform(request, within: fleet.world.settings.requestLimit) { _ in }
  }

  /// Answers followers that request missing events.
  func answerFollowers() -> StoreSubscription {
    store.subscribe(.one(.eventsWanted(of: name))) { [self] _, value in
      guard case .eventsWanted(let wanted) = value else { return }
      let answer = inProcess { [self] in
        let kept = state.withLock { $0.chunks[wanted.nonce] ?? [] }
        for chunk in kept.dropFirst(wanted.number).prefix(EventRequest.mostChunks) {
          send(chunk, of: wanted.job)
        }
      }
      answer()
    }
  }

  /// The journaled events of a claim's run.
  func events(of nonce: String) -> [String] {
    state.withLock { $0.chunks[nonce] ?? [] }.flatMap(\.events)
  }

  /// Fills the disk of the journal for a while.
  func fillDisk(for time: Duration) {
    fleet.note("the disk of \(name) is full")
    state.withLock { $0.isDiskFull = true }
    fleet.loop.after(time) { [self] in
      state.withLock { $0.isDiskFull = false }
      inProcess { [self] in handle(.journalWritable(true)) }()
    }
  }
}

extension SimulatedGateway.State {
  /// The journal entries that a restarted process finds.
  var journalEntries: [JournalEntry] {
    journal.sorted { $0.key < $1.key }.map { nonce, entry in
      var entry = entry
      entry.events = EventDigest(of: chunks[nonce] ?? [])
      return entry
    }
  }
}
