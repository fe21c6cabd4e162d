// Collects events into records of runs, for reports of complete runs.

import Bluetooth
public import RunEvents

/// A collector of runs from their events, even from several devices at once.
///
/// Successful steps are kept up to a limit and then only counted; a failed step is always kept.
/// Values are kept only for a report that shows them, and in bounded memory.
public struct RunCollector: Sendable {
  /// The maximum number of successful steps kept for a run. From 20 runs on it is lower, and from
  /// 100 on a tenth, unless runs are condensed.
  public static let stepLimit = 10_000

  /// The runs, in the order in which they began.
  public private(set) var runs: [RecordedRun] = []
  /// The results outside the runs.
  public private(set) var whole: CommandRecord?
  private var indices: [Key: Int] = [:]
  private let condenses: Bool
  private let keepsValues: Bool
  /// The index of the last run on each device, if a further run on it counts as its next attempt.
  private var lastRuns: [String: Int]?

  private struct Key: Hashable {
    let run: RunIdentity
    let device: String
  }

  /// Creates an empty collector.
  ///
  /// For several runs, such as those of a batch. For a single one,
  /// ``Plan/run(on:within:seed:file:line:report:)-(_,Duration?,_,_,_,_)`` returns the record.
  ///
  /// ```swift
  /// var collector = RunCollector()
  /// for try await event in plan.events(on: sensor).values { collector.apply(event) }
  /// print(JUnitReport().text(on: collector.runs))
  /// ```
  ///
  /// - Parameters:
  ///   - whole: The result of the command that makes the runs.
  ///   - condenses: Whether a finished run keeps only the steps of ``SummaryReport``: the slowest
  ///     and the failed ones.
  ///   - keepsValues: Whether values are kept, for ``RunsReport/showsValues``.
  public init(of whole: CommandRecord? = nil, condenses: Bool = false, keepsValues: Bool = false) {
    self.init(of: whole, condenses: condenses, keepsValues: keepsValues, resuming: nil)
  }

  /// Creates a collector for a batch that may have been resumed: the last run on a device decides,
  /// and earlier ones become its first attempts.
  ///
  /// - Parameter earlier: The runs before the interruption; nil if every run stands on its own.
  package init(
    of whole: CommandRecord? = nil, condenses: Bool = false, keepsValues: Bool = false,
    resuming earlier: [RecordedRun]?
  ) {
    self.whole = whole
    self.condenses = condenses
    self.keepsValues = keepsValues
    runs = earlier ?? []
    lastRuns = earlier.map { runs in
      Dictionary(zip(runs.map(\.device), runs.indices)) { $1 }
    }
  }

  /// Adds an event of the batch.
  public mutating func apply(_ event: BatchEvent) {
    if whole == nil { whole = CommandRecord(.batch) }
    whole?.apply(event)
    guard lastRuns != nil else { return }
    switch event.change {
    case .started, .finished: whole?.includeEarlier(runs)
    case .waiting, .deviceEnded: break
    }
  }

  /// Adds an event of a run.
  public mutating func apply(_ event: RunEvent) {
    let key = Key(run: event.run, device: event.device)
    if case .run(.started(let start)) = event.change {
      var run = RecordedRun(start, event)
      if let index = lastRuns?[event.device] {
        run.prependAttempts(of: runs[index])
        runs[index] = run
        indices[key] = index
      } else {
        lastRuns?[event.device] = runs.count
        indices[key] = runs.count
        runs.append(run)
      }
      return
    }
    guard let index = indices[key] else { return }
    let share = condenses ? 1 : min(max(1, runs.count / 10), 10)
    runs[index].apply(event, upTo: Self.stepLimit / share, keepsValues: keepsValues)
    guard runs[index].ending != nil else { return }
    indices[key] = nil
    if condenses { runs[index].condense(to: SummaryReport.slowestCount) }
  }
}
