// A finished step, for reports of complete runs.

import Bluetooth

extension RecordedRun {
  /// `1  read battery-level`; an implied step has no place in the chain.
  static func title(of step: ReportedStep) -> String {
    step.position.isImplied ? step.title : "\(step.position)  \(step.title)"
  }

  /// A step that ended.
  public struct Step: Equatable, Sendable {
    private let result: StepResult
    /// When it ended, counted from the start of the run.
    public let endedAt: Duration

    /// A step for reports of complete runs: a warning counts as success, or as skipped when this
    /// host does not support the operation. An expected failure is a note.
    init(_ result: StepResult, endedAt: Duration) {
      self.result = result.judged
      self.endedAt = endedAt
    }

    /// Its position in the chain or test.
    var position: StepPosition { result.step.position }
    var reported: ReportedStep { result.step }
    /// When it began, counted from the start of the run.
    var beganAt: Duration { endedAt - took }
    /// Its status; never ``StepResult/Status/warning``.
    public var status: StepResult.Status { result.status }
    /// Its outcome; a failed step has one too, if its value is not as expected.
    ///
    /// ```swift
    /// for step in try await plan.run(on: sensor).steps {
    ///   if case .value(let value)? = step.outcome { print(step.title, value.octets) }
    /// }
    /// ```
    public var outcome: StepOutcome? { result.outcome }
    /// Why it failed; nil for an expected failure.
    public var failure: RunFailure? { result.failure }
    /// Its tries, in order, where there was more than one.
    var tries: [StepTry] { result.tries }
    /// How long it took.
    public var took: Duration { result.took }

    /// Remarks on a step that did not fail; of a skipped one, the reason.
    public var notes: [String] {
      status == .skipped && result.notes.isEmpty ? ["its condition did not hold"] : result.notes
    }

    /// `1  read battery-level`; an implied step has no place in the chain.
    public var title: String { RecordedRun.title(of: result.step) }

    /// Whether it succeeded or was skipped.
    public var succeeded: Bool { status == .ok || status == .skipped }

    /// Why it was skipped, on one line; nil when it was not.
    var skipped: String? { status == .skipped ? notes.joined(separator: "; ") : nil }

    /// Remarks on a step that was not skipped.
    var remarks: [String] { status == .skipped ? [] : notes }

    /// The step as the text report has it.
    var lines: [String] { TextReport.lines(result) }
  }
}

extension StepResult {
  /// The result without warnings and expected failures.
  fileprivate var judged: StepResult {
    var judged = self
    switch status {
    case .ok:
      if let failure { judged.notes.insert("failed, as expected: \(failure.why)", at: 0) }
      judged.failure = nil
    case .warning where failure?.code == .notSupportedHere:
      judged.status = .skipped
      judged.failure = nil
    case .warning:
      judged.status = .ok
      // Tries and remarks are notes, too.
      judged.notes = notes.map { failure == nil || $0 == failure?.why ? "warning: \($0)" : $0 }
      judged.failure = nil
    case .failed, .cancelled, .skipped: break
    }
    return judged
  }
}
