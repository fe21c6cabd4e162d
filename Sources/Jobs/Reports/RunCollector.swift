// Events of runs in, runs out: what reports of whole runs are made of.

/// Collects runs from their events, those of several devices side by side too.
///
/// Steps that succeeded are kept up to a bound and counted beyond it; a step that failed is always
/// kept. Values are not kept: a report of values takes them as they come.
public struct RunCollector: Sendable {
  /// How many steps of a run are kept, those that failed not counted.
  public static let stepLimit = 1_000

  /// The runs, in the order in which they began.
  public private(set) var runs: [RecordedRun] = []
  /// What is known beside the runs.
  public private(set) var whole: RecordedWhole?
  private var indices: [Key: Int] = [:]
  private let condenses: Bool

  private struct Key: Hashable {
    let run: RunIdentity
    let device: String
  }

  /// - Parameters:
  ///   - whole: What the runs belong to.
  ///   - condenses: Whether of a run that is over only those steps are kept that
  ///     ``SummaryReport`` tells: the slowest, and those that failed.
  public init(of whole: RecordedWhole? = nil, condenses: Bool = false) {
    self.whole = whole
    self.condenses = condenses
  }

  /// Takes up what happened in the batch beside its runs.
  public mutating func take(_ event: BatchEvent) {
    if whole == nil { whole = RecordedWhole(.batch) }
    whole?.take(event)
  }

  /// Takes up what happened.
  public mutating func take(_ event: RunEvent) {
    let key = Key(run: event.run, device: event.device)
    if case .runStarted(let start) = event.change {
      indices[key] = runs.count
      runs.append(
        RecordedRun(
          run: event.run,
          device: event.device,
          start: start,
          startedAt: event.wallClock - event.offset
        )
      )
      return
    }
    guard let index = indices[key] else { return }
    if event.attempt > runs[index].attempt { runs[index].begin(attempt: event.attempt) }
    switch event.change {
    case .stepFinished(let result):
      runs[index].take(RecordedRun.Step(result, endedAt: event.offset))
    case .runFinished(let ending):
      runs[index].end(RecordedRun.Ending(ending), after: event.offset)
      indices[key] = nil
      if condenses { runs[index].condense(to: SummaryReport.slowestCount) }
    case .runStarted, .stepStarted, .value, .advertisement, .gap, .pairingDisplay: break
    }
  }
}

extension RecordedRun {
  /// Keeps the slowest steps and those that failed.
  fileprivate mutating func condense(to count: Int) {
    let slowest = Set(slowestIndices.prefix(count))
    let kept = steps.indices.filter { slowest.contains($0) || steps[$0].failure != nil }
    leftOut += steps.count - kept.count
    steps = kept.map { steps[$0] }
  }

  fileprivate mutating func begin(attempt: Int) {
    if let failed = steps.last(where: { $0.failure != nil })?.failure {
      earlierFailures.append(failed)
    }
    self.attempt = attempt
    steps = []
    leftOut = 0
  }
}
