// The events of a job at a follower: delivered in order and once each; missing ones are requested again.
//
// A pure value: chunks, records and the time in; events, requests and the next instant out. The sending
// side is EventChunking.

public import Signals

/// Puts the chunks of a job in order, and requests missing ones from the journals of its gateways.
public struct EventFollowing: Sendable {
  /// An input.
  public enum Event: Sendable {
    /// The instant ``EventFollowing/next`` has come.
    case woken
    /// A chunk was delivered: late, repeated, or before its predecessor.
    case chunk(EventChunk)
    /// A record of the job. A start names the gateway to request from, an end the number of events.
    case record(ResultRecord)
  }

  /// An output.
  public enum Action: Equatable, Sendable {
    /// Deliver the next events of the run of a claim.
    case deliver([String], nonce: String)
    /// Publish this request: the gateway sends the chunks again, from its journal.
    case ask(EventRequest, gateway: String)
    /// The job has ended and no further events will be delivered. `missing` events of the run that
    /// ended the job could not be obtained.
    case complete(EndRecord, missing: Int)
  }

  private struct Run {
    var owner: String?
    var digest = EventDigest()
    var number = 0
    /// Chunks that arrived before their predecessors, by number.
    var early: [Int: EventChunk] = [:]
  }

  /// The most chunks of a run that wait for their predecessors; further ones are dropped and requested
  /// again.
  public static let mostEarly = 64
  /// The pause between noticing a gap and the first request, and between requests.
  public static let pause = Duration.seconds(2)

  private let job: JobID
  private let patience: Duration
  private var runs: [String: Run] = [:]
  private var end: EndRecord?
  private var givesUpAt: Instant?
  private var isComplete = false
  /// Steps of the protocol to leave out; a test must then fail.
  package var omitted: Set<Omission> = []

  /// The time to send the event ``Event/woken``; nil when none is needed.
  public private(set) var next: Instant?

  /// - Parameters:
  ///   - job: The job.
  ///   - patience: The time for which missing events are requested after the end of the job.
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
    case .chunk(let chunk): actions += add(chunk)
    case .record(.started(let start)):
      runs[start.nonce, default: Run()].owner = start.owner
    case .record(.ended(let end)):
      if runs[end.nonce]?.owner == nil { runs[end.nonce, default: Run()].owner = end.owner }
      self.end = end
      givesUpAt = givesUpAt ?? now + patience
    }
    if let end, missing(of: end) == 0 { return actions + complete(end) }
    if let end, let givesUpAt, givesUpAt <= now { return actions + complete(end) }
    return actions + requestMissing(at: now)
  }

  private mutating func add(_ chunk: EventChunk) -> [Action] {
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

  /// Returns how many events of the run that ended the job have not arrived.
  private func missing(of end: EndRecord) -> Int {
    let digest = runs[end.nonce]?.digest ?? EventDigest()
    if digest.count < end.events { return end.events - digest.count }
    // A gateway that lost its power may have lost events that it had sent.
    if digest.count > end.events { return 0 }
    return end.events == 0 || digest.text == end.digest ? 0 : end.events
  }

  private mutating func complete(_ end: EndRecord) -> [Action] {
    isComplete = true
    next = nil
    return [.complete(end, missing: missing(of: end))]
  }

  /// Requests the chunks missing before an early chunk, or before the end.
  private mutating func requestMissing(at now: Instant) -> [Action] {
    let gaps = runs.filter { !$0.value.early.isEmpty || $0.key == end?.nonce }.keys.sorted()
    guard !gaps.isEmpty else {
      next = nil
      return []
    }
    guard let due = next, due <= now else {
      // A late chunk usually arrives by itself: wait before requesting it.
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
