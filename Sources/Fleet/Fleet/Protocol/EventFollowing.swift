// The events of a job as they reach whoever follows it: in order, each once, and what is missing is asked
// for.
//
// A pure value: chunks, records and the time in; events, requests and the next instant out.

public import Signals

/// Puts the chunks of a job in order, and asks the journals of its gateways for those that are missing.
public struct EventFollowing: Sendable {
  /// What happens.
  public enum Event: Sendable {
    /// The time has come that ``EventFollowing/next`` named.
    case woken
    /// A chunk was delivered: late, repeated, or before its predecessor.
    case chunk(EventChunk)
    /// A record of the job: it names the gateway that runs it, and how many events there are in the end.
    case record(ResultRecord)
  }

  /// What to do.
  public enum Action: Equatable, Sendable {
    /// Further events of the run of a claim, in order.
    case deliver([String], nonce: String)
    /// Publish this: the gateway sends the chunks again, from its journal.
    case ask(EventRequest, gateway: String)
    /// Nothing more comes. `missing` events of the run that ended the job were not found.
    case complete(EndRecord, missing: Int)
  }

  private struct Run {
    var owner: String?
    var digest = EventDigest()
    var number = 0
    /// Chunks that came before their predecessors.
    var early: [Int: EventChunk] = [:]
  }

  /// How many chunks of a run may wait for their predecessors; further ones are asked for again.
  public static let mostEarly = 64
  /// How long after a gap was noticed, and after each request, the next request is sent.
  public static let pause = Duration.seconds(2)

  private let job: JobID
  private let patience: Duration
  private var runs: [String: Run] = [:]
  private var end: EndRecord?
  private var givesUpAt: Instant?
  private var isComplete = false
  /// Steps of the protocol that are left out, for tests that have to notice it.
  package var omitted: Set<Omission> = []

  /// When an event ``Event/woken`` is needed.
  public private(set) var next: Instant?

  /// - Parameters:
  ///   - job: The job.
  ///   - patience: How long after the end of the job missing events are asked for.
  public init(of job: JobID, patience: Duration = .seconds(20)) {
    self.job = job
    self.patience = patience
  }

  /// Handles one event.
  public mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    guard !isComplete else { return [] }
    var actions: [Action] = []
    switch event {
    case .woken: break
    case .chunk(let chunk): actions += take(chunk)
    case .record(.started(let start)):
      runs[start.nonce, default: Run()].owner = start.owner
    case .record(.ended(let end)):
      if runs[end.nonce]?.owner == nil { runs[end.nonce, default: Run()].owner = end.owner }
      self.end = end
      givesUpAt = givesUpAt ?? now + patience
    }
    if let end, missing(of: end) == 0 { return actions + complete(end) }
    if let end, let givesUpAt, givesUpAt <= now { return actions + complete(end) }
    return actions + ask(at: now)
  }

  private mutating func take(_ chunk: EventChunk) -> [Action] {
    var run = runs[chunk.nonce] ?? Run()
    defer { runs[chunk.nonce] = run }
    guard chunk.number >= run.number else { return [] }
    if chunk.number > run.number {
      if run.early.count < Self.mostEarly { run.early[chunk.number] = chunk }
      return []
    }
    run.early[chunk.number] = chunk
    var events: [String] = []
    while let following = run.early.removeValue(forKey: run.number) {
      for event in following.events { run.digest.add(event) }
      events += following.events
      run.number += 1
    }
    return [.deliver(events, nonce: chunk.nonce)]
  }

  /// How many events of the run that ended the job have not come.
  private func missing(of end: EndRecord) -> Int {
    let digest = runs[end.nonce]?.digest ?? EventDigest()
    if digest.count < end.events { return end.events - digest.count }
    return end.events == 0 || digest.text == end.digest ? 0 : end.events
  }

  private mutating func complete(_ end: EndRecord) -> [Action] {
    isComplete = true
    next = nil
    return [.complete(end, missing: missing(of: end))]
  }

  /// Asks for what is missing before a chunk that has come, or before the end.
  private mutating func ask(at now: Instant) -> [Action] {
    let gaps = runs.filter { !$0.value.early.isEmpty || $0.key == end?.nonce }.keys.sorted()
    guard !gaps.isEmpty else {
      next = nil
      return []
    }
    guard let due = next, due <= now else {
      // What is late most often comes by itself.
      next = next ?? now + Self.pause
      return []
    }
    next = min(now + Self.pause, givesUpAt ?? now + Self.pause)
    if omitted.contains(.eventRequest) { return [] }
    return gaps.compactMap { nonce in
      guard let run = runs[nonce], let owner = run.owner else { return nil }
      return .ask(EventRequest(job: job, nonce: nonce, number: run.number), gateway: owner)
    }
  }
}
