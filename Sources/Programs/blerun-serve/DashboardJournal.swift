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
    /// The reason why the last query failed; nil if it did not.
    var failure: String?
  }

  /// The error of a query that is one too many.
  private struct TooManyQueries: Error, CustomStringConvertible {
    var description: String {
      "the journal cannot be read: \(DashboardJournal.mostQueries) queries are waiting"
    }
  }

  /// The most waiting queries; a further one fails.
  private static let mostQueries = 64
  /// The limit of a query, including the wait for earlier ones.
  private static let limit = Duration.seconds(60)
  /// The time for which the minutes of a characteristic are read.
  private static let day = Duration.seconds(24 * 3600)

  private let path: String?
  private let loop: Loop
  private let report: @Sendable (_ failure: String?) -> Void
  private let state = Guarded(State())

  /// Creates a reader; no file is opened before the first query.
  ///
  /// - Parameters:
  ///   - path: The journal; nil for none.
  ///   - report: Receives the reason when the journal cannot be read, each one once, and nil when it
  ///     can be read again.
  init(
    _ path: String?, on loop: Loop, report: @escaping @Sendable (_ failure: String?) -> Void
  ) {
    self.path = path
    self.loop = loop
    self.report = report
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
    // A failure has been reported.
    let buckets = (try? await query { try $0.buckets(of: values, minutes: 1) }) ?? []
    return Dictionary(grouping: buckets, by: \.field).mapValues { $0.map { Minute($0) } }
  }

  /// Returns the runs that changed since the last call, with the latest steps of the running ones.
  ///
  /// - Parameter own: The running runs of this process.
  func changedRuns(own: Set<Int64>) async -> [FollowedRun] {
    let now = loop.now.sinceStart
    // A failure has been reported.
    let changed = try? await query { [state] file in
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
  ///
  /// - Throws: The reason why the journal cannot be read.
  func page(of run: Int64) async throws(DashboardRefusal) -> String? {
    try await query { file -> String? in
      guard let runs = try file.recordedRuns(run) else { return nil }
      return HTMLReport().text(on: runs, of: try file.recordedWhole(run, of: runs))
    } ?? nil
  }

  // MARK: The thread

  /// Runs a query on the thread. Returns nil if the journal does not exist yet.
  ///
  /// - Throws: The reason why the journal cannot be read, which has been reported.
  private func query<R: Sendable>(
    _ body: @escaping @Sendable (JournalFile) throws -> R
  ) async throws(DashboardRefusal) -> R? {
    guard let path else { return nil }
    do {
      let found = try await wait(on: loop, operation: "reading the journal", limit: Self.limit) {
        (done: Completion<R>) in
        let query = Query { [state] in
          done.end(
            Result {
              let file = try state.withLock { $0.file } ?? JournalFile(reading: path)
              state.withLock { $0.file = file }
              return try body(file)
            }
          )
        }
        if !enqueue(query) { throw TooManyQueries() }
      }
      note(nil)
      return found
    } catch {
      if let failure = error as? JournalFailure, [.missing, .empty].contains(failure.kind) {
        note(nil)
        return nil
      }
      // At the end of the program, nothing is wrong with the journal.
      if !Task.isCancelled { note("\(error)") }
      throw DashboardRefusal("\(error)")
    }
  }

  /// Reports the failure of a query, or that there was none, if that is new.
  private func note(_ failure: String?) {
    let isNew = state.withLock { state in
      defer { state.failure = failure }
      return state.failure != failure
    }
    if isNew { report(failure) }
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
