// What the dashboard reads of the journal, on a thread of its own: a long answer keeps no device waiting.

import Dashboard
import Jobs
import Journal
import Program
import Signals

/// Reads a journal beside the loop, one question at a time.
final class DashboardJournal: Sendable {
  private struct Question: Sendable { let answer: @Sendable () -> Void }

  private struct State {
    var file: JournalFile?
    var follower = DashboardJournal.follower(isEmpty: false)
    var questions: [Question] = []
    var isAnswering = false
  }

  /// How many questions may wait.
  private static let mostQuestions = 64
  /// How long an answer may take, with those before it.
  private static let limit = Duration.seconds(60)
  /// How many minutes of a characteristic are looked for: a day.
  private static let day = Duration.seconds(24 * 3600)

  private let path: String?
  private let loop: Loop
  private let state = Guarded(State())

  /// - Parameter path: The journal; nil for none.
  init(_ path: String?, on loop: Loop) {
    self.path = path
    self.loop = loop
  }

  /// Whether there may be a journal.
  var exists: Bool { path != nil }

  // MARK: Questions

  /// The minutes of a characteristic in the last day, by field.
  func minutes(device: String, attribute: String) async -> [String: [Minute]] {
    let now = loop.wallClockAtStart + loop.now.sinceStart
    let query = ValueQuery(
      device: device, attribute: attribute, from: now - Self.day, to: now + .seconds(60)
    )
    let buckets = await ask { try $0.buckets(of: query, minutes: 1) } ?? []
    return Dictionary(grouping: buckets, by: \.field).mapValues { $0.map { Minute($0) } }
  }

  /// The runs that changed since the last question, with the latest steps of those under way.
  ///
  /// - Parameter own: The runs of this process that are under way.
  func changedRuns(own: Set<Int64>) async -> [FollowedRun] {
    let now = loop.now.sinceStart
    let changed = await ask { [state] file in
      // Questions are answered one at a time.
      var follower = state.withLock { $0.follower }
      let changed = try follower.look(at: file, own: own, now: now)
      state.withLock { $0.follower = follower }
      return changed
    }
    // What it found is lost, or there is no journal yet.
    if changed == nil { state.withLock { $0.follower = Self.follower(isEmpty: true) } }
    return changed ?? []
  }

  private static func follower(isEmpty: Bool) -> JournalFollower {
    JournalFollower(most: DashboardModel.mostRuns, isEmpty: isEmpty, isThere: RunOwner.isThere)
  }

  /// The page of a run; nil when there is none of this number.
  func page(of run: Int64) async -> String? {
    await ask { file in
      guard let runs = try file.recordedRuns(run) else { return nil }
      return HTMLReport().text(on: runs, of: try file.recordedWhole(run, of: runs))
    } ?? nil
  }

  // MARK: The thread

  /// Nil where there is no journal yet, it cannot be read, or too many questions wait.
  private func ask<R: Sendable>(
    _ question: @escaping @Sendable (JournalFile) throws -> R
  ) async -> R? {
    guard let path else { return nil }
    return try? await wait(on: loop, operation: "reading the journal", limit: Self.limit) {
      (done: Completion<R?>) in
      let isTaken = put(
        Question { [state] in
          done.succeed(
            try? {
              let file = try state.withLock { $0.file } ?? JournalFile(reading: path)
              state.withLock { $0.file = file }
              return try question(file)
            }()
          )
        }
      )
      if !isTaken { done.succeed(nil) }
    }
  }

  private func put(_ question: Question) -> Bool {
    let (isTaken, begins) = state.withLock { state in
      guard state.questions.count < Self.mostQuestions else { return (false, false) }
      state.questions.append(question)
      defer { state.isAnswering = true }
      return (true, !state.isAnswering)
    }
    if begins, startThread("journal", { self.answerAll() }) != 0 { answerAll() }
    return isTaken
  }

  /// Answers what waits, until nothing does.
  private func answerAll() {
    while let question = next() { question.answer() }
  }

  private func next() -> Question? {
    state.withLock { state in
      guard !state.questions.isEmpty else {
        state.isAnswering = false
        return nil
      }
      return state.questions.removeFirst()
    }
  }
}
