// `blerun fleet follow`: prints the events of jobs as they arrive.
//
// The order and completeness of events are up to JobFollowing.

import Fleet
import Jobs
import Program
import Signals

/// Prints the events of jobs as they arrive, those of each run in order, until all jobs have ended.
struct FleetFollower: Sendable {
  private struct State {
    /// The latest lines of each run, by claim; only the end of the run is searched in them.
    var lines: [String: [String]] = [:]
    var readers: [String: EventLines] = [:]
    var ends: [JobID: EndRecord] = [:]
    var done: Completion<Void>?
  }

  let connection: FleetConnection
  let loop: Loop
  let output: StandardOutput
  private let state = Guarded(State())

  init(connection: FleetConnection, loop: Loop, output: StandardOutput) {
    self.connection = connection
    self.loop = loop
    self.output = output
  }

  /// Follows a job, or all jobs of a batch.
  ///
  /// - Returns: The exit status of the jobs.
  func follow(_ what: String, asJSON: Bool) async throws -> ExitStatus {
    let jobs = try await FleetChanges.jobs(what, in: connection, on: loop)
    var subscriptions: [StoreSubscription] = []
    defer { for subscription in subscriptions { subscription.cancel() } }
    let isDone: @Sendable () -> Bool = { [state] in
      state.withLock { $0.ends.count } == jobs.count
    }
    for job in jobs {
      let receivers = JobFollowing.Receivers(
        deliver: { show($0, of: $1, asJSON: asJSON) },
        complete: { end, missing in
          if missing > 0 {
            StandardError.notice("\(counted(missing, "event")) of job \(job.id) lost")
          }
          state.withLock { $0.ends[job.id] = end }
          if isDone() { state.withLock { $0.done }?.succeed(()) }
        }
      )
      let following = JobFollowing(of: job.id, on: connection, loop, receivers)
      for key in [StoreKey.result(of: job.id), .events(of: job.id)] {
        subscriptions.append(
          connection.store.watch(.one(key)) { event in
            if case .entry(let entry) = event { following.receive(entry.value) }
          }
        )
      }
    }
    try await wait(on: loop, operation: "the end of the jobs") { (done: Completion<Void>) in
      state.withLock { $0.done = done }
      if isDone() { done.succeed(()) }
    }
    return status(of: jobs, asJSON: asJSON)
  }

  /// Prints the ends of the jobs, and returns the exit status.
  private func status(of jobs: [FleetJob], asJSON: Bool) -> ExitStatus {
    var counts = BatchCounts()
    var states: [EndState: Int] = [:]
    for job in jobs {
      guard let end = state.withLock({ $0.ends[job.id] }) else { continue }
      let lines = state.withLock { $0.lines[end.nonce] ?? [] }
      let known = JobEvents(lines)
      counts.count(end.ending(known.ending, within: job.deadline, after: known.events))
      states[end.state, default: 0] += 1
      if !asJSON {
        let detail = end.detail.isEmpty ? "" : "  \(end.detail)"
        output.line("\(job.id)  \(job.device)  \(end.state.rawValue)\(detail)")
      }
    }
    let list = EndState.allCases.compactMap { state in
      states[state].map { "\($0) \(state.rawValue)" }
    }
    StandardError.notice("\(counted(jobs.count, "job")): \(list.joined(separator: ", "))")
    return counts.exitStatus(others: 0)
  }

  /// Prints events of a run.
  private func show(_ lines: [String], of nonce: String, asJSON: Bool) {
    let events = state.withLock { state in
      // The end can only be in the last chunk, so earlier lines are dropped.
      state.lines[nonce] = lines
      return lines.map { try? state.readers[nonce, default: EventLines()].event(in: $0) }
    }
    if asJSON {
      for line in lines { output.line(line) }
      return
    }
    let text = BatchTextReport(showsSteps: true)
    for event in events.compactMap({ $0 ?? nil }) {
      for line in text.lines(for: event) { output.line(line) }
    }
  }
}
