// A watched device as a chain of steps, for its journal.
//
// A pure state machine: it is given changes and returns events of a run.

import Bluetooth
import RunEvents
import Signals

/// The steps of one device: a connect, and for each characteristic a step that lasts until the end.
struct WatchRecords: Sendable {
  private struct Listened {
    let step: ReportedStep
    var begun: Instant?
    var count = 0
    var dropped = 0
  }

  private static let connect = PlacedStep(.impliedConnect, Step(.connect)).reported

  private var listened: [Int: Listened]
  private let order: [Int]
  /// The start of the current attempt to connect; nil if there is none.
  private var connecting: Instant?
  private var failure: RunFailure?
  /// Whether an attempt to connect was running when the chain ended.
  private var isConnecting = false

  init(_ series: [WatchPlan.Series]) {
    order = series.map(\.index)
    listened = Dictionary(
      uniqueKeysWithValues: series.map { ($0.index, Listened(step: $0.reported)) }
    )
  }

  mutating func connecting(at now: Instant) -> RunEvent.Change {
    connecting = now
    return .step(.started(Self.connect))
  }

  mutating func connected(_ origin: LinkOrigin, at now: Instant) -> RunEvent.Change? {
    failure = nil
    return connectEnded(.ok, .linked(origin), nil, at: now)
  }

  /// Records that the connection dropped, or could not be made, which ends its step.
  mutating func lost(_ failure: RunFailure, at now: Instant) -> RunEvent.Change? {
    self.failure = failure
    return connectEnded(.failed, nil, failure, at: now)
  }

  private mutating func connectEnded(
    _ status: StepResult.Status, _ outcome: StepOutcome?, _ failure: RunFailure?, at now: Instant
  ) -> RunEvent.Change? {
    guard let begun = connecting else { return nil }
    connecting = nil
    let result = StepResult(
      Self.connect, status: status, outcome: outcome, failure: failure, took: now - begun
    )
    return .step(.finished(result))
  }

  /// Begins the step of a characteristic when it first becomes active.
  mutating func active(_ index: Int, at now: Instant) -> RunEvent.Change? {
    guard let step = listened[index], step.begun == nil else { return nil }
    listened[index]?.begun = now
    return .step(.started(step.step))
  }

  mutating func value(_ index: Int, _ value: StepValue) -> RunEvent.Change? {
    listened[index]?.count += 1
    return listened[index].map { .data($0.step, .value(value)) }
  }

  mutating func gap(_ index: Int, _ gap: NotificationGap) -> RunEvent.Change? {
    listened[index]?.dropped += gap.dropped
    return listened[index].map { .data($0.step, .gap(gap)) }
  }

  /// Begins the running steps again, in another run.
  mutating func again(at now: Instant) -> [RunEvent.Change] {
    var changes: [RunEvent.Change] = []
    if isConnecting { changes.append(connecting(at: now)) }
    for index in order {
      guard var step = listened[index], step.begun != nil else { continue }
      (step.begun, step.count, step.dropped) = (now, 0, 0)
      listened[index] = step
      changes.append(.step(.started(step.step)))
    }
    return changes
  }

  /// Ends the running steps and the chain.
  ///
  /// - Parameter cause: The failure that ended the watch; nil if it ended as planned.
  mutating func finish(_ cause: RunFailure?, at now: Instant) -> [RunEvent.Change] {
    // If another device failed, the steps of this one are cancelled.
    let isOwn = cause != nil && cause == failure
    let ended: StepResult.Status = cause == nil ? .ok : isOwn ? .failed : .cancelled
    var changes: [RunEvent.Change] = []
    isConnecting = connecting != nil
    if let change = connectEnded(.cancelled, nil, cause, at: now) { changes.append(change) }
    for index in order {
      guard let step = listened[index], let begun = step.begun else { continue }
      let seconds = (now - begun).seconds
      let rate = seconds > 0 ? Double(step.count) / seconds : 0
      let result = StepResult(
        step.step, status: ended,
        outcome: .listened(count: step.count, rate: rate, dropped: step.dropped),
        failure: cause, took: now - begun
      )
      changes.append(.step(.finished(result)))
    }
    let status: RunEnding.Status = cause == nil ? .ok : isOwn ? .failed : .cancelled
    let done = cause == nil ? listened.values.count { $0.begun != nil } : 0
    return changes + [
      .run(.finished(RunEnding(status: status, failure: cause, step: nil, done: done)))
    ]
  }
}
