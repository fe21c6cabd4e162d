// The record of a run, for reports of complete runs.
//
// Only the last attempt is recorded in full.

public import Bluetooth
public import RunEvents

/// The record of a chain's run on one device, or of a test of a suite.
public struct RecordedRun: Equatable, Sendable {
  /// The kind of run, which is also the noun for it in reports.
  public enum Kind: String, Hashable, Sendable {
    /// The run of a chain on one device.
    case device
    /// A test of a suite.
    case test
    /// The run of one of several chain files.
    case file
  }

  struct Attempt: Equatable, Sendable {
    /// The number, from 1.
    let number: Int
    /// The index of its first step among the recorded steps of all attempts.
    let first: Int
    /// The failure; nil if no step has one.
    let failure: RunFailure?
    let steps: [Step]
    /// The number of steps that were not recorded.
    let leftOut: Int
  }

  /// A running step.
  struct StepUnderWay: Equatable, Sendable {
    let step: ReportedStep
    let beganAt: Duration
  }

  struct Note: Equatable, Sendable {
    let at: Duration
    let text: String
  }

  static let noteLimit = 200
  /// The maximum number of recorded steps in one attempt before the last one.
  static let attemptStepLimit = 200
  /// The maximum number of recorded attempts before the last one; later ones are dropped.
  static let attemptLimit = 50

  public let run: RunIdentity
  /// The name of the device in output. In a test, an operation may choose the device.
  public private(set) var device: String
  /// The advertised name of a device that output identifies by its address, because a scan found
  /// it; otherwise nil.
  public let deviceName: String?
  /// The name in reports: the device, the test, or the file.
  public let label: String
  public let kind: Kind
  /// The name of the chain or suite, the number of steps and the seed.
  public let start: RunStart
  /// The start, since 1970-01-01T00:00:00Z.
  public let startedAt: Duration
  /// The duration; nil while the run has not ended.
  public private(set) var took: Duration?
  /// The number of the last attempt, to which the steps belong, from 1. In a resumed batch,
  /// attempts before the interruption count, too.
  public private(set) var attempt = 1
  /// The number of attempts in earlier runs of a resumed batch.
  private var resumedAfter = 0
  /// The steps of the last attempt, in the order in which they ended.
  public private(set) var steps: [Step] = []
  /// The number of successful steps in the last attempt, without implied ones and those that
  /// contain others.
  private(set) var done = 0
  /// The number of successful steps in the last attempt that were not recorded.
  public private(set) var leftOut = 0
  /// The failures of the earlier attempts, in order.
  public private(set) var earlierFailures: [RunFailure] = []
  /// The attempts before the last one, in order, if values are recorded.
  private(set) var earlierAttempts: [Attempt] = []
  /// The running steps; an inner step follows the one that contains it.
  private(set) var underWay: [StepUnderWay] = []
  /// The time of the last event, since the start of the run.
  private(set) var lastEventAt = Duration.zero
  /// The values of all attempts, if they are recorded.
  private(set) var values = RecordedValues()
  /// The first notes of all attempts, if values are recorded.
  private(set) var notes: [Note] = []
  /// The ending, in which warnings count as success; nil while the run has not ended.
  public private(set) var ending: RunEnding?

  /// Creates the record of a run that began with an event.
  init(_ start: RunStart, _ event: RunEvent) {
    run = event.run
    device = event.device
    deviceName = event.deviceName
    label = event.test.map { "\($0.index)  \($0.name)" } ?? start.file ?? event.deviceTitle
    kind = event.test != nil ? .test : start.file != nil ? .file : .device
    self.start = start
    startedAt = event.wallClock - event.offset
  }

  /// Adds an event of the run.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of recorded successful steps.
  ///   - keepsValues: Whether values, notes and the steps of earlier attempts are recorded.
  mutating func apply(_ event: RunEvent, upTo limit: Int, keepsValues: Bool) {
    let number = resumedAfter + event.attempt
    if number > attempt { begin(number, keepsSteps: keepsValues) }
    lastEventAt = max(lastEventAt, event.offset)
    switch event.change {
    case .step(.started(let step)):
      underWay.append(StepUnderWay(step: step, beganAt: event.offset))
    case .step(.finished(let result)):
      let index = underWay.lastIndex { $0.step.position == result.step.position }
      if let index { underWay.remove(at: index) }
      add(Step(result, endedAt: event.offset), upTo: limit)
      if let target = result.step.target, target.id == event.test?.target { device = target.device }
    case .data(let step, .value(let value)):
      if keepsValues { values.add(value, of: step, at: event.offset) }
    case .data(let step, .gap(let gap)):
      if keepsValues { values.add(gap, of: step, at: event.offset) }
    case .remark(.note(let text)):
      guard keepsValues, notes.count < Self.noteLimit else { break }
      notes.append(Note(at: event.offset, text: text))
    case .run(.finished(let ending)):
      underWay = []
      self.ending = ending
      if ending.status == .warning { self.ending?.status = .ok }
      took = event.offset
    case .run, .data(_, .advertisement), .remark(.pairingDisplay): break
    }
  }

  /// Adds a finished step; successful ones only up to `limit`.
  private mutating func add(_ step: Step, upTo limit: Int) {
    if step.succeeded, !step.position.isImplied, !step.reported.hasInnerSteps { done += 1 }
    guard !step.succeeded || steps.count < limit else {
      leftOut += 1
      return
    }
    steps.append(step)
  }

  /// Begins another attempt, whose steps replace those of the last one.
  private mutating func begin(_ attempt: Int, keepsSteps: Bool) {
    let failure = steps.last { $0.failure != nil }?.failure
    if keepsSteps, earlierAttempts.count < Self.attemptLimit {
      let last = steps.suffix(Self.attemptStepLimit)
      earlierAttempts.append(
        Attempt(
          number: self.attempt, first: earlierStepCount, failure: failure, steps: Array(last),
          leftOut: leftOut + steps.count - last.count
        )
      )
    }
    if let failure { earlierFailures.append(failure) }
    self.attempt = attempt
    (underWay, steps, done, leftOut) = ([], [], 0, 0)
  }

  /// Prepends the attempts of the run on the same device from before the batch was resumed.
  ///
  /// Their steps are not recorded, because their times do not fit this run.
  mutating func prependAttempts(of earlier: RecordedRun) {
    resumedAfter = earlier.attempt
    attempt = earlier.attempt + 1
    let failure = earlier.ending == nil ? Self.brokenOff : earlier.failures.first
    earlierFailures = earlier.earlierFailures + [failure].compactMap(\.self)
    let tries =
      earlier.earlierAttempts.map { ($0.number, $0.failure) } + [(earlier.attempt, failure)]
    earlierAttempts = tries.prefix(Self.attemptLimit).map { number, failure in
      Attempt(number: number, first: 0, failure: failure, steps: [], leftOut: 0)
    }
  }

  /// The failure of a run whose process ended first.
  private static let brokenOff = RunFailure(
    code: .interrupted, class: .passing, what: "running the chain",
    why: "the process ended before the chain did"
  )

  /// The maximum number of earlier reasons in output.
  private static let reasonLimit = 3
  /// The maximum width of an earlier reason, in columns.
  private static let reasonColumns = 100

  /// The failures of earlier attempts, shortened: one for each combination of code and operation
  /// that differs from the last attempt's.
  var otherReasons: [String] {
    func kind(_ failure: RunFailure) -> [String] { [failure.code.rawValue, failure.what] }
    var known = Set(failures.prefix(1).map(kind))
    let others = earlierFailures.filter { known.insert(kind($0)).inserted }
    return others.prefix(Self.reasonLimit).map {
      ColumnText($0.message).cut(to: Self.reasonColumns)
    }
  }

  /// The number of recorded steps in the attempts before the last one.
  var earlierStepCount: Int { earlierAttempts.reduce(0) { $0 + $1.steps.count } }

  /// Whether the run ended, and all steps succeeded.
  ///
  /// ```swift
  /// guard try await plan.run(on: sensor).succeeded else { return }
  /// ```
  public var succeeded: Bool { ending?.status == .ok }

  /// The failures of the last attempt, in the order of their steps: the first cause, then those of
  /// `finally` and of the cleanup, and last the failure outside steps, such as an exceeded
  /// deadline.
  ///
  /// ```swift
  /// for failure in try await plan.run(on: sensor).failures {
  ///   print(failure.source?.description ?? "", failure)  // soil.yaml:5:5 reading battery-level: …
  /// }
  /// ```
  public var failures: [RunFailure] {
    steps.compactMap(\.failure) + (failureBetweenSteps.map { [$0] } ?? [])
  }

  /// The captured values, by name; empty while the run has not ended.
  ///
  /// ```swift
  /// let level = try await plan.run(on: sensor).captured["battery"]?.number
  /// ```
  public var captured: [String: DecodedValue] { ending?.captured ?? [:] }

  /// The failure outside steps: the run ended between two steps, or in its cleanup.
  public var failureBetweenSteps: RunFailure? {
    ending?.step == nil ? ending?.failure : nil
  }

  /// The steps that count as test cases. A block that failed only because of an inner step is left
  /// out, because it is not another failure.
  var cases: [Step] { steps.filter { !failsByInnerStep($0) } }

  /// Whether a step failed only because a step inside it did.
  private func failsByInnerStep(_ step: Step) -> Bool {
    step.status == .failed && step.failure == nil
      && steps.contains { $0.status == .failed && $0.position.isInside(step.position) }
  }

  /// The slowest steps first; equally slow ones in their order.
  ///
  /// ```swift
  /// for step in try await plan.run(on: sensor).slowest(3) { print(step.took.written, step.title) }
  /// ```
  ///
  /// - Parameter count: The maximum number.
  public func slowest(_ count: Int) -> [Step] { slowestIndices(count).map { steps[$0] } }

  /// The indices of the slowest steps, the slowest first.
  private func slowestIndices(_ count: Int) -> [Int] {
    Array(steps.indices.sorted { (steps[$1].took, $0) < (steps[$0].took, $1) }.prefix(count))
  }

  /// Removes all but the slowest and the failed steps.
  mutating func condense(to count: Int) {
    let slowest = Set(slowestIndices(count))
    let kept = steps.indices.filter { slowest.contains($0) || steps[$0].failure != nil }
    leftOut += steps.count - kept.count
    steps = kept.map { steps[$0] }
  }
}

extension RecordedRun: CustomStringConvertible {
  /// The device and the verdict on one line, then a line for each failure with its source.
  public var description: String {
    let verdict =
      "\(DeviceTitle.text(device, name: deviceName)): \(ending?.status.rawValue ?? "under way")"
    let lines = failures.map { failure in
      failure.source.map { "\($0): \(failure)" } ?? "\(failure)"
    }
    return ([verdict] + lines).joined(separator: "\n")
  }
}

extension [RecordedRun] {
  /// The number of steps with a warning in the last attempts of all runs.
  var warnings: Int { reduce(0) { $0 + ($1.ending?.warnings ?? 0) } }
}
