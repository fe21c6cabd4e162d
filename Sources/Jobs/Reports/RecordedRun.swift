// A run that is over, as reports of whole runs see it.

import Bluetooth

/// What is kept of the run of a chain on one device.
public struct RecordedRun: Equatable, Sendable {
  /// A step that ended.
  public struct Step: Equatable, Sendable {
    public let result: StepResult
    /// When it ended, counted from the start of the run.
    public let endedAt: Duration

    /// `1  read battery-level`; an implied step has no place in the chain.
    public var title: String {
      let placed = result.placed
      return placed.isImplied ? placed.step.title : "\(placed.position)  \(placed.step.title)"
    }
  }

  public let run: RunIdentity
  public let device: String
  /// The chain's name, the number of its steps and the seed.
  public let start: RunStart
  /// When it began, since 1970-01-01T00:00:00Z.
  public let startedAt: Duration
  /// How long it has lasted; nil while it goes on.
  public internal(set) var took: Duration?
  /// Which try of the chain the steps belong to, from 1: the last one.
  public internal(set) var attempt = 1
  /// The steps of the last try, in the order in which they ended.
  public internal(set) var steps: [Step] = []
  /// How many steps of the last try went well and were not kept.
  public internal(set) var leftOut = 0
  /// Why the earlier tries failed, in order.
  public internal(set) var earlierFailures: [RunFailure] = []
  /// How it ended; nil while it goes on.
  public internal(set) var ending: RunEnding?

  /// A failure that belongs to no step: the run ended between two, or in its clean-up.
  public var failureBetweenSteps: RunFailure? {
    ending?.step == nil ? ending?.failure : nil
  }

  /// The steps, the slowest first; of those as slow as each other the earlier one first.
  ///
  /// - Parameter count: How many, at most.
  public func slowest(_ count: Int) -> [Step] {
    slowestIndices.prefix(count).map { steps[$0] }
  }

  /// Where the steps are, in that order.
  var slowestIndices: [Int] {
    steps.indices.sorted { (steps[$1].result.took, $0) < (steps[$0].result.took, $1) }
  }
}
