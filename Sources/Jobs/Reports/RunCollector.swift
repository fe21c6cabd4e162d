// Collects events into records of runs, for reports of complete runs.

import Bluetooth

/// Collects runs from their events, also of several devices at once.
///
/// Steps that succeeded are kept up to a bound and counted beyond it; a step that failed is always
/// kept. Values are kept only for a report that shows them, and in bounded memory.
public struct RunCollector: Sendable {
  /// How many steps of a run are kept, without failed ones.
  public static let stepLimit = 10_000
  /// The same while the runs together have ``manySteps`` or more.
  public static let smallStepLimit = 1_000
  /// From how many kept steps on each further run keeps fewer.
  public static let manySteps = 100_000

  /// The runs, in the order in which they began.
  public private(set) var runs: [RecordedRun] = []
  /// The results outside the runs.
  public private(set) var whole: RecordedWhole?
  private var indices: [Key: Int] = [:]
  private let condenses: Bool
  private let keepsValues: Bool
  /// How many steps are kept, of all runs together.
  private var kept = 0

  private struct Key: Hashable {
    let run: RunIdentity
    let device: String
  }

  /// No events so far.
  ///
  /// For several runs, such as those of a batch. For a single one,
  /// ``Plan/run(on:within:seed:file:line:report:)-(_,Duration?,_,_,_,_)`` returns the record.
  ///
  /// ```swift
  /// var collector = RunCollector()
  /// for try await event in plan.events(on: sensor).values { collector.take(event) }
  /// print(JUnitReport().text(on: collector.runs))
  /// ```
  ///
  /// - Parameters:
  ///   - whole: The command of the runs.
  ///   - condenses: Whether a finished run keeps only the steps of ``SummaryReport``: the slowest
  ///     and the failed ones.
  ///   - keepsValues: Whether values are kept, for ``RunsReport/showsValues``.
  public init(of whole: RecordedWhole? = nil, condenses: Bool = false, keepsValues: Bool = false) {
    self.whole = whole
    self.condenses = condenses
    self.keepsValues = keepsValues
  }

  /// Adds an event of the batch.
  public mutating func take(_ event: BatchEvent) {
    if whole == nil { whole = RecordedWhole(.batch) }
    whole?.take(event)
  }

  /// Adds an event of a run.
  public mutating func take(_ event: RunEvent) {
    let key = Key(run: event.run, device: event.device)
    if case .runStarted(let start) = event.change {
      indices[key] = runs.count
      runs.append(
        RecordedRun(
          run: event.run,
          device: event.device,
          deviceName: event.deviceName,
          start: start,
          startedAt: event.wallClock - event.offset
        )
      )
      return
    }
    guard let index = indices[key] else { return }
    let before = runs[index].keptSteps
    defer { kept += runs[index].keptSteps - before }
    if event.attempt > runs[index].attempt {
      let keepsSteps = keepsValues && kept < Self.manySteps
      runs[index].begin(attempt: event.attempt, at: event.offset, keepsSteps: keepsSteps)
    }
    if keepsValues { runs[index].follow(event) }
    switch event.change {
    case .stepFinished(let result):
      let limit = kept < Self.manySteps ? Self.stepLimit : Self.smallStepLimit
      runs[index].take(RecordedRun.Step(result, endedAt: event.offset), upTo: limit)
    case .value(let step, let value):
      if keepsValues { runs[index].values.add(value, of: step, at: event.offset) }
    case .gap(let step, let gap):
      if keepsValues { runs[index].values.add(gap, of: step, at: event.offset) }
    case .note(let text):
      if keepsValues { runs[index].add(note: text, at: event.offset) }
    case .runFinished(let ending):
      runs[index].end(RecordedRun.Ending(ending), after: event.offset)
      indices[key] = nil
      if condenses { runs[index].condense(to: SummaryReport.slowestCount) }
    case .runStarted, .stepStarted, .advertisement, .pairingDisplay: break
    }
  }
}

extension RecordedRun {
  fileprivate var keptSteps: Int { steps.count + earlierStepCount }

  /// Keeps only the slowest and the failed steps.
  fileprivate mutating func condense(to count: Int) {
    let slowest = Set(slowestIndices.prefix(count))
    let kept = steps.indices.filter { slowest.contains($0) || steps[$0].failure != nil }
    leftOut += steps.count - kept.count
    steps = kept.map { steps[$0] }
  }
}
