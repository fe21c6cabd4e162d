// The dashboard's reads of the journal, on a separate thread, so that a long query does not delay a device.
//
// Runs are written to the journal elsewhere: see DashboardWork.

import Dashboard
import Jobs
import Journal
import Program
import Signals

/// Reads a journal off the loop, one query at a time.
final class DashboardJournal: Sendable {
  private struct Query: Sendable { let run: @Sendable () -> Void }

  private struct State {
    var file: JournalFile?
    var follower = DashboardJournal.follower(isEmpty: false)
    var queries: [Query] = []
    var isThreadRunning = false
  }

  /// The most waiting queries; a further one fails.
  private static let mostQueries = 64
  /// The limit of a query, including the wait for earlier ones.
  private static let limit = Duration.seconds(60)
  /// The time for which the minutes of a characteristic are read.
  private static let day = Duration.seconds(24 * 3600)

  private let path: String?
  private let loop: Loop
  private let state = Guarded(State())

  /// Creates a reader; no file is opened before the first query.
  ///
  /// - Parameter path: The journal; nil for none.
  init(_ path: String?, on loop: Loop) {
    self.path = path
    self.loop = loop
  }

  /// Whether a path was given. The file may not exist yet.
  var exists: Bool { path != nil }

  // MARK: Queries

  /// Returns the minutes of a characteristic in the last day, by field.
  func minutes(device: String, attribute: String) async -> [String: [Minute]] {
    let now = loop.wallClockAtStart + loop.now.sinceStart
    let values = ValueQuery(
      device: device, attribute: attribute, from: now - Self.day, to: now + .seconds(60)
    )
    let buckets = await query { try $0.buckets(of: values, minutes: 1) } ?? []
    return Dictionary(grouping: buckets, by: \.field).mapValues { $0.map { Minute($0) } }
  }

  /// Returns the runs that changed since the last call, with the latest steps of the running ones.
  ///
  /// - Parameter own: The running runs of this process.
  func changedRuns(own: Set<Int64>) async -> [FollowedRun] {
    let now = loop.now.sinceStart
    let changed = await query { [state] file in
      // No other query changes the follower meanwhile: they run one at a time.
      var follower = state.withLock { $0.follower }
      let changed = try follower.look(at: file, own: own, now: now)
      state.withLock { $0.follower = follower }
      return changed
    }
    // The journal does not exist yet, or changes were lost with the failed query: start over.
    if changed == nil { state.withLock { $0.follower = Self.follower(isEmpty: true) } }
    return changed ?? []
  }

  private static func follower(isEmpty: Bool) -> JournalFollower {
    JournalFollower(most: DashboardModel.mostRuns, isEmpty: isEmpty, isThere: RunOwner.isThere)
  }

  /// Returns the page of a run; nil if the journal has no run of this number.
  func page(of run: Int64) async -> String? {
    await query { file in
      guard let runs = try file.recordedRuns(run) else { return nil }
      return HTMLReport().text(on: runs, of: try file.recordedWhole(run, of: runs))
    } ?? nil
  }

  // MARK: The thread

  /// Runs a query on the thread. Returns nil if the journal does not exist or cannot be read, or if too
  /// many queries wait.
  private func query<R: Sendable>(
    _ body: @escaping @Sendable (JournalFile) throws -> R
  ) async -> R? {
    guard let path else { return nil }
    return try? await wait(on: loop, operation: "reading the journal", limit: Self.limit) {
      (done: Completion<R?>) in
      let isQueued = enqueue(
        Query { [state] in
          done.succeed(
            try? {
              let file = try state.withLock { $0.file } ?? JournalFile(reading: path)
              state.withLock { $0.file = file }
              return try body(file)
            }()
          )
        }
      )
      if !isQueued { done.succeed(nil) }
    }
  }

  private func enqueue(_ query: Query) -> Bool {
    let (isQueued, isFirst) = state.withLock { state in
      guard state.queries.count < Self.mostQueries else { return (false, false) }
      state.queries.append(query)
      defer { state.isThreadRunning = true }
      return (true, !state.isThreadRunning)
    }
    if isFirst, startThread("journal", { self.runAll() }) != 0 { runAll() }
    return isQueued
  }

  /// Runs the waiting queries until there are none.
  private func runAll() {
    while let query = nextQuery() { query.run() }
  }

  private func nextQuery() -> Query? {
    state.withLock { state in
      guard !state.queries.isEmpty else {
        state.isThreadRunning = false
        return nil
      }
      return state.queries.removeFirst()
    }
  }
}
