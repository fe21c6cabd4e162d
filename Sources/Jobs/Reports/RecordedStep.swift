// A step that is over, as reports of whole runs see it: of a chain, or an operation of a suite.

import Bluetooth

extension RecordedRun {
  /// A step that ended.
  public struct Step: Equatable, Sendable {
    private enum Subject: Equatable {
      case step(PlacedStep)
      case titled(String)
    }

    private let subject: Subject
    public let status: StepResult.Status
    public let outcome: StepOutcome?
    /// Why it failed; nil where that was expected.
    public let failure: RunFailure?
    /// What is to be known although it did not fail; of one that was skipped, why it was.
    public let notes: [String]
    public let took: Duration
    /// When it ended, counted from the start of the run.
    public let endedAt: Duration

    /// A step of a chain.
    init(_ result: StepResult, endedAt: Duration) {
      subject = .step(result.placed)
      status = result.status
      outcome = result.outcome
      failure = result.failure
      notes = result.status == .skipped ? ["its condition did not hold"] : []
      took = result.took
      self.endedAt = endedAt
    }

    /// What is no step of a chain.
    package init(
      title: String,
      status: StepResult.Status,
      outcome: StepOutcome?,
      failure: RunFailure?,
      notes: [String],
      took: Duration,
      endedAt: Duration
    ) {
      subject = .titled(title)
      self.status = status
      self.outcome = outcome
      self.failure = failure
      self.notes = notes
      self.took = took
      self.endedAt = endedAt
    }

    /// `1  read battery-level`; an implied step has no place in the chain.
    public var title: String {
      switch subject {
      case .titled(let title): title
      case .step(let placed) where placed.isImplied: placed.step.title
      case .step(let placed): "\(placed.position)  \(placed.step.title)"
      }
    }

    /// Whether nothing is wrong with it.
    public var isWell: Bool { status == .ok || status == .skipped }

    /// Why it was skipped, on one line; nil when it was not.
    var skipped: String? { status == .skipped ? notes.joined(separator: "; ") : nil }

    /// What is to be known of it although it succeeded.
    var remarks: [String] { status == .skipped ? [] : notes }

    /// The step as the text report has it.
    var lines: [String] {
      switch subject {
      case .step(let placed):
        let result = StepResult(
          placed,
          status: status,
          outcome: outcome,
          failure: failure,
          took: took
        )
        return TextReport.lines(result)
      case .titled(let title):
        let brought = outcome.map { TextReport.text($0) }
        let told = status == .ok ? brought ?? "ok" : status.rawValue
        return [TextReport.visible("\(title)  \(told)")]
          + (failure.map { TextReport.reasons($0) } ?? [])
          + notes.map { TextReport.visible("   note   \($0)") }
      }
    }
  }
}
