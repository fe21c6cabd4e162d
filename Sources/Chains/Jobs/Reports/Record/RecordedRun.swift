// A finished run, for reports of complete runs.

public import Bluetooth

/// The record of the run of a chain on one device, or of a test of a suite.
public struct RecordedRun: Equatable, Sendable {
  /// The kind of thing that a report has one run for.
  public enum Kind: String, Hashable, Sendable {
    /// The run of a chain on one device.
    case device
    /// A test of a suite.
    case test
    /// The run of one of several chain files.
    case file
  }

  struct Attempt: Equatable, Sendable {
    /// From 1.
    let number: Int
    /// The ordinal of its first step among those that are kept of all tries, from 0.
    let first: Int
    /// Why it failed; nil where no step has it.
    let failure: RunFailure?
    let steps: [Step]
    /// How many steps before those, or without a failure, were not kept.
    let leftOut: Int
  }

  /// A step that began, and has not ended yet.
  struct StepUnderWay: Equatable, Sendable {
    let step: ReportedStep
    let beganAt: Duration
  }

  struct Note: Equatable, Sendable {
    let at: Duration
    let text: String
  }

  static let noteLimit = 200
  /// How many steps of one try before the last one are kept.
  static let attemptStepLimit = 200
  /// How many tries before the last one are kept: the first ones.
  static let attemptLimit = 50

  /// The identity of the run.
  public let run: RunIdentity
  /// The device, as output names it.
  public let device: String
  /// The name of a device that output names by its address, because a scan found it; nil for others.
  public let deviceName: String?
  /// Its name in a report: the device, the test, or the file.
  public let label: String
  /// Whether it is the run of a chain, of one of several files, or a test.
  public let kind: Kind
  /// The name of the chain or suite, the number of steps and the seed.
  public let start: RunStart
  /// When it began, since 1970-01-01T00:00:00Z.
  public let startedAt: Duration
  /// How long it has lasted; nil while it is under way.
  public private(set) var took: Duration?
  /// Which try of the chain the steps belong to, from 1: the last one. The tries of a batch before it
  /// was resumed count, too.
  public private(set) var attempt = 1
  /// How many of the tries were those of earlier runs of a batch.
  private var resumedAfter = 0
  /// The steps of the last try, in the order in which they ended.
  public private(set) var steps: [Step] = []
  /// How many steps of the last try succeeded, without implied ones and those around others.
  private(set) var done = 0
  /// How many steps of the last try succeeded and were not kept.
  public private(set) var leftOut = 0
  /// Why the earlier tries failed, in order.
  public private(set) var earlierFailures: [RunFailure] = []
  /// The tries before the last one, in order, where values are kept.
  private(set) var earlierAttempts: [Attempt] = []
  /// The steps that have not ended: an inner one after the one it is in.
  private(set) var underWay: [StepUnderWay] = []
  /// The time of the last event, counted from the start of the run.
  private(set) var lastEventAt = Duration.zero
  /// The values of all tries, where they are kept.
  private(set) var values = RecordedValues()
  /// The first notes of all tries, where values are kept.
  private(set) var notes: [Note] = []
  /// How it ended, where warnings count as success; nil while it is under way.
  public private(set) var ending: RunEnding?

  init(
    run: RunIdentity, device: String, deviceName: String? = nil, start: RunStart,
    startedAt: Duration
  ) {
    self.run = run
    self.device = device
    self.deviceName = deviceName
    label =
      start.test.map { "\($0.index)  \($0.name)" } ?? start.file
      ?? DeviceTitle.text(device, name: deviceName)
    kind = start.test != nil ? .test : start.file != nil ? .file : .device
    self.start = start
    self.startedAt = startedAt
  }

  /// Takes up an event of the run.
  ///
  /// - Parameters:
  ///   - limit: How many steps that succeeded are kept.
  ///   - keepsValues: Whether values, notes and the steps of earlier tries are kept.
  mutating func take(_ event: RunEvent, upTo limit: Int, keepsValues: Bool) {
    let number = resumedAfter + event.attempt
    if number > attempt { begin(number, keepsSteps: keepsValues) }
    lastEventAt = max(lastEventAt, event.offset)
    switch event.change {
    case .stepStarted(let step):
      underWay.append(StepUnderWay(step: step, beganAt: event.offset))
    case .stepFinished(let result):
      let index = underWay.lastIndex { $0.step.position == result.step.position }
      if let index { underWay.remove(at: index) }
      add(Step(result, endedAt: event.offset), upTo: limit)
    case .value(let step, let value):
      if keepsValues { values.add(value, of: step, at: event.offset) }
    case .gap(let step, let gap):
      if keepsValues { values.add(gap, of: step, at: event.offset) }
    case .note(let text):
      guard keepsValues, notes.count < Self.noteLimit else { break }
      notes.append(Note(at: event.offset, text: text))
    case .runFinished(let ending):
      underWay = []
      self.ending = ending
      if ending.status == .warning { self.ending?.status = .ok }
      took = event.offset
    case .runStarted, .advertisement, .pairingDisplay: break
    }
  }

  /// Adds a step that ended; successful ones only up to a bound.
  private mutating func add(_ step: Step, upTo limit: Int) {
    if step.succeeded, !step.position.isImplied, !step.reported.hasInnerSteps { done += 1 }
    guard !step.succeeded || steps.count < limit else {
      leftOut += 1
      return
    }
    steps.append(step)
  }

  /// Begins another try: its steps replace those of the last one.
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

  /// Makes the chain that ran on the device before the batch was resumed the first tries of this one.
  ///
  /// Their steps are not kept: they belong to another time.
  mutating func follow(_ earlier: RecordedRun) {
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

  /// The failure of a chain that its process did not end.
  private static let brokenOff = RunFailure(
    code: .interrupted, class: .passing, what: "running the chain",
    why: "the process ended before the chain did"
  )

  /// How many earlier reasons are named.
  private static let reasonLimit = 3
  /// How many columns an earlier reason takes, at most.
  private static let reasonColumns = 100

  /// Why earlier tries failed, shortened: each reason once that differs from that of the last try by its
  /// code or by what was done.
  var otherReasons: [String] {
    func kind(_ failure: RunFailure) -> [String] { [failure.code.rawValue, failure.what] }
    var known = Set(failures.prefix(1).map(kind))
    let others = earlierFailures.filter { known.insert(kind($0)).inserted }
    return others.prefix(Self.reasonLimit).map {
      ColumnText($0.message).cut(to: Self.reasonColumns)
    }
  }

  /// How many steps are kept of the tries before the last one.
  var earlierStepCount: Int { earlierAttempts.reduce(0) { $0 + $1.steps.count } }

  /// Whether it ended, and all steps succeeded.
  ///
  /// ```swift
  /// guard try await plan.run(on: sensor).succeeded else { return }
  /// ```
  public var succeeded: Bool { ending?.status == .ok }

  /// The failures of the last try, in the order of their steps: the first cause, then those of
  /// `finally` and of the clean-up; last one outside steps, such as a passed deadline.
  ///
  /// ```swift
  /// for failure in try await plan.run(on: sensor).failures {
  ///   print(failure.source?.description ?? "", failure)  // soil.yaml:5:5 reading battery-level: …
  /// }
  /// ```
  public var failures: [RunFailure] {
    steps.compactMap(\.failure) + (failureBetweenSteps.map { [$0] } ?? [])
  }

  /// The values that steps captured, by their names; empty while it is under way.
  ///
  /// ```swift
  /// let level = try await plan.run(on: sensor).captured["battery"]?.number
  /// ```
  public var captured: [String: DecodedValue] { ending?.captured ?? [:] }

  /// A failure outside steps: the run ended between two, or in its clean-up.
  public var failureBetweenSteps: RunFailure? {
    ending?.step == nil ? ending?.failure : nil
  }

  /// The steps that count as tests: a block that failed only because a step inside it did is not
  /// another failure.
  var cases: [Step] { steps.filter { !failsByInnerStep($0) } }

  /// Whether a step failed only because a step inside it did.
  private func failsByInnerStep(_ step: Step) -> Bool {
    step.status == .failed && step.failure == nil
      && steps.contains { $0.status == .failed && $0.position.isInside(step.position) }
  }

  /// The steps, the slowest first; equally slow ones in their order.
  ///
  /// ```swift
  /// for step in try await plan.run(on: sensor).slowest(3) { print(step.took.written, step.title) }
  /// ```
  ///
  /// - Parameter count: The maximum number.
  public func slowest(_ count: Int) -> [Step] { slowestIndices(count).map { steps[$0] } }

  /// The indices of the slowest steps, in that order.
  private func slowestIndices(_ count: Int) -> [Int] {
    Array(steps.indices.sorted { (steps[$1].took, $0) < (steps[$0].took, $1) }.prefix(count))
  }

  /// Keeps only the slowest and the failed steps.
  mutating func condense(to count: Int) {
    let slowest = Set(slowestIndices(count))
    let kept = steps.indices.filter { slowest.contains($0) || steps[$0].failure != nil }
    leftOut += steps.count - kept.count
    steps = kept.map { steps[$0] }
  }
}

extension RecordedRun: CustomStringConvertible {
  /// The device and the verdict on one line, then each failure with its source on one more.
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
  /// How many steps ended with a warning in the last attempts.
  var warnings: Int { reduce(0) { $0 + ($1.ending?.warnings ?? 0) } }
}
