// A watched device as a chain: the events that its journal has.
//
// A pure state machine: changes go in, changes of a run come out.

import Bluetooth
import Signals

/// The steps of one device: it is connected, and each characteristic is listened to until the end.
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
  /// When the attempt to connect that is under way began.
  private var connecting: Instant?
  private var failure: RunFailure?
  /// Whether an attempt to connect was under way when the chain ended.
  private var isConnecting = false

  init(_ series: [WatchPlan.Series]) {
    order = series.map(\.index)
    listened = Dictionary(
      uniqueKeysWithValues: series.map { ($0.index, Listened(step: $0.reported)) }
    )
  }

  mutating func connecting(at now: Instant) -> RunEvent.Change {
    connecting = now
    return .stepStarted(Self.connect)
  }

  mutating func connected(_ origin: LinkOrigin, at now: Instant) -> RunEvent.Change? {
    failure = nil
    return connectEnded(.ok, .linked(origin), nil, at: now)
  }

  /// The connection could not be made, which is the end of its step, or dropped.
  mutating func lost(_ failure: RunFailure, at now: Instant) -> RunEvent.Change? {
    self.failure = failure
    return connectEnded(.failed, nil, failure, at: now)
  }

  private mutating func connectEnded(
    _ status: StepResult.Status, _ outcome: StepOutcome?, _ failure: RunFailure?, at now: Instant
  ) -> RunEvent.Change? {
    guard let begun = connecting else { return nil }
    connecting = nil
    return .stepFinished(
      StepResult(
        Self.connect, status: status, outcome: outcome, failure: failure, took: now - begun
      )
    )
  }

  /// A characteristic is active: its step begins, the first time.
  mutating func active(_ index: Int, at now: Instant) -> RunEvent.Change? {
    guard let step = listened[index], step.begun == nil else { return nil }
    listened[index]?.begun = now
    return .stepStarted(step.step)
  }

  mutating func value(_ index: Int, _ value: StepValue) -> RunEvent.Change? {
    listened[index]?.count += 1
    return listened[index].map { .value($0.step, value) }
  }

  mutating func gap(_ index: Int, _ gap: NotificationGap) -> RunEvent.Change? {
    listened[index]?.dropped += gap.dropped
    return listened[index].map { .gap($0.step, gap) }
  }

  /// The chain continues in another run: the steps that are under way begin again.
  mutating func again(at now: Instant) -> [RunEvent.Change] {
    var changes: [RunEvent.Change] = []
    if isConnecting { changes.append(connecting(at: now)) }
    for index in order {
      guard var step = listened[index], step.begun != nil else { continue }
      (step.begun, step.count, step.dropped) = (now, 0, 0)
      listened[index] = step
      changes.append(.stepStarted(step.step))
    }
    return changes
  }

  /// The watch is over: the ends of the steps that are under way, and of the chain.
  ///
  /// - Parameter cause: Why the watch ended; nil when it ended as asked.
  mutating func finish(_ cause: RunFailure?, at now: Instant) -> [RunEvent.Change] {
    // The failure of another device ends this one, too: it is cancelled.
    let isOwn = cause != nil && cause == failure
    let ended: StepResult.Status = cause == nil ? .ok : isOwn ? .failed : .cancelled
    var changes: [RunEvent.Change] = []
    isConnecting = connecting != nil
    if let change = connectEnded(.cancelled, nil, cause, at: now) { changes.append(change) }
    for index in order {
      guard let step = listened[index], let begun = step.begun else { continue }
      let seconds = (now - begun).seconds
      let rate = seconds > 0 ? Double(step.count) / seconds : 0
      changes.append(
        .stepFinished(
          StepResult(
            step.step, status: ended,
            outcome: .listened(count: step.count, rate: rate, dropped: step.dropped),
            failure: cause, took: now - begun
          )
        )
      )
    }
    let status: RunEnding.Status = cause == nil ? .ok : isOwn ? .failed : .cancelled
    let done = cause == nil ? listened.values.count { $0.begun != nil } : 0
    return changes + [
      .runFinished(RunEnding(status: status, failure: cause, step: nil, done: done))
    ]
  }
}
