// Requests to a fleet: jobs are cancelled and gateways drained by whoever owns them.

import Bluetooth
import Fleet
import Jobs
import Program
import Signals

/// Changes to a fleet.
struct FleetChanges: Sendable {
  /// How often a change is tried against other changes.
  private static let attempts = 20

  let connection: FleetConnection
  let loop: Loop

  private var store: any JobStore { connection.store }

  /// The jobs of some names: jobs themselves, or batches.
  ///
  /// - Throws: ``Ending`` for a name that is neither.
  static func jobs(
    _ name: String,
    in connection: FleetConnection,
    on loop: Loop
  ) async throws -> [FleetJob] {
    let entries = try await connection.store.entries(.all(.job), on: loop)
    let found = entries.compactMap { entry -> FleetJob? in
      guard case .job(let job) = entry.value else { return nil }
      return job.id.text == name || job.id.text.hasPrefix(name + "-") ? job : nil
    }
    guard !found.isEmpty else {
      throw Ending(.failed, "unknown job or batch '\(name)' (blerun fleet jobs --all lists them)")
    }
    // In the order of the batch.
    return found.sorted { a, b in
      a.id.text.utf8.count == b.id.text.utf8.count
        ? a.id < b.id : a.id.text.utf8.count < b.id.text.utf8.count
    }
  }

  /// Marks jobs as cancelled.
  func cancel(_ names: [String]) async throws {
    var count = 0
    for name in names {
      for job in try await Self.jobs(name, in: connection, on: loop) {
        if try await cancel(job) { count += 1 }
      }
    }
    StandardError.notice("\(counted(count, "job")) to be cancelled; the others have ended")
  }

  /// - Returns: Whether the job was in the queue of its device.
  private func cancel(_ job: FleetJob) async throws -> Bool {
    let key = StoreKey.device(job.device)
    for _ in 0..<Self.attempts {
      guard let entry = try await store.entries(.one(key), on: loop).first,
        case .device(var device) = entry.value,
        let index = device.queue.firstIndex(where: { $0.job == job.id })
      else { return false }
      if device.queue[index].isCancelled { return true }
      device.queue[index].isCancelled = true
      let change = StoreRequest.update(key, .device(device), expecting: entry.revision)
      if case .applied = try await store.ask(change, on: loop) {
        let announcement = StoreRequest.publish(.announcement(of: job.device), .announcement)
        _ = try await store.ask(announcement, on: loop)
        return true
      }
    }
    throw Ending(.passing, "job \(job.id) could not be marked: its device changes all the time")
  }

  /// Marks a gateway as draining: it sees the mark with its next renewal, within 10 s.
  func drain(_ name: String) async throws {
    let key = StoreKey.gateway(name)
    for _ in 0..<Self.attempts {
      guard StoreName.isValid(name),
        let entry = try await store.entries(.one(key), on: loop).first,
        case .gateway(var gateway) = entry.value
      else {
        throw Ending(.failed, "unknown gateway '\(name)' (blerun fleet gateways lists them)")
      }
      if gateway.isDraining { return }
      gateway.isDraining = true
      let change = StoreRequest.update(key, .gateway(gateway), expecting: entry.revision)
      if case .applied = try await store.ask(change, on: loop) {
        StandardError.notice("gateway \(name) is to be drained; it obeys within 10 s")
        return
      }
    }
    throw Ending(.passing, "gateway \(name) could not be marked: its entry changes all the time")
  }
}

/// Prints the events of jobs as they come, until all have ended.
struct FleetFollower: Sendable {
  private struct State {
    var chunks: [JobID: [String: [Int: EventChunk]]] = [:]
    var printed: [JobID: [String: Int]] = [:]
    var ends: [JobID: EndRecord] = [:]
    var counts = BatchCounts()
  }

  /// How often records are read that may have been missed.
  private static let lookPause = Duration.seconds(2)

  let connection: FleetConnection
  let loop: Loop
  let output: StandardOutput
  private let state = Guarded(State())

  init(connection: FleetConnection, loop: Loop, output: StandardOutput) {
    self.connection = connection
    self.loop = loop
    self.output = output
  }

  /// - Returns: The exit status of the jobs.
  func follow(_ what: String, asJSON: Bool) async throws -> ExitStatus {
    let jobs = try await FleetChanges.jobs(what, in: connection, on: loop)
    var subscriptions: [StoreSubscription] = []
    defer { for subscription in subscriptions { subscription.cancel() } }
    for job in jobs {
      subscriptions.append(
        connection.store.watch(.one(.events(of: job.id))) { event in
          guard case .entry(let entry) = event, case .events(let chunk) = entry.value else {
            return
          }
          show(chunk, of: job, asJSON: asJSON)
        }
      )
      subscriptions.append(
        connection.store.watch(.one(.result(of: job.id))) { event in
          guard case .entry(let entry) = event, case .record(let record) = entry.value else {
            return
          }
          if let end = record.end { state.withLock { $0.ends[job.id] = end } }
        }
      )
    }
    while state.withLock({ $0.ends.count }) < jobs.count {
      try await loop.sleep(for: .milliseconds(50))
    }
    // Events that were stored before the end of their job are on their way.
    try await loop.sleep(for: Self.lookPause / 4)
    var counts = BatchCounts()
    for job in jobs {
      guard let end = state.withLock({ $0.ends[job.id] }) else { continue }
      let ending = end.ending(nil, within: job.deadline)
      counts.count(end.state == .failed ? failure(of: job, end) ?? ending : ending)
      if !asJSON {
        let detail = end.detail.isEmpty ? "" : "  \(end.detail)"
        output.result("\(job.id)  \(job.device)  \(end.state.rawValue)\(detail)")
      }
    }
    return counts.exitStatus(others: 0)
  }

  /// How a failed run ended, as its events report.
  private func failure(of job: FleetJob, _ end: EndRecord) -> RunEnding? {
    let events = JobEvents(state.withLock { $0.chunks[job.id]?[end.nonce] ?? [:] }).events
    if case .runFinished(let ending)? = events.last?.change { return ending }
    return nil
  }

  private func show(_ chunk: EventChunk, of job: FleetJob, asJSON: Bool) {
    let isNew = state.withLock { state in
      defer { state.chunks[job.id, default: [:]][chunk.nonce, default: [:]][chunk.number] = chunk }
      return state.chunks[job.id]?[chunk.nonce]?[chunk.number] == nil
    }
    guard isNew else { return }
    var reader = RunEventReader()
    let text = BatchTextReport(showsSteps: true)
    for line in chunk.events {
      if asJSON {
        output.result(line)
      } else if let event = try? reader.event(in: line) {
        for line in text.lines(for: event) { output.result(line) }
      }
    }
  }
}
