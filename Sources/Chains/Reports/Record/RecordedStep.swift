// A finished step, for reports of complete runs.

import Bluetooth
public import RunEvents

extension RecordedRun {
  /// The title with the position, `1  read battery-level`; an implied step has no position.
  static func title(of step: ReportedStep) -> String {
    step.position.isImplied ? step.title : "\(step.position)  \(step.title)"
  }

  /// A finished step.
  public struct Step: Equatable, Sendable {
    private let result: StepResult
    /// The end, as the time since the start of the run.
    public let endedAt: Duration

    /// Creates a step from its result. A warning counts as success, or as skipped if this host does
    /// not support the operation. An expected failure becomes a note.
    init(_ result: StepResult, endedAt: Duration) {
      self.result = result.judged
      self.endedAt = endedAt
    }

    /// The position in the chain or test.
    var position: StepPosition { result.step.position }
    var reported: ReportedStep { result.step }
    /// The start, as the time since the start of the run.
    var beganAt: Duration { endedAt - took }
    /// The status; never ``StepResult/Status/warning``.
    public var status: StepResult.Status { result.status }
    /// The outcome; a step whose value fails an expectation has one, too.
    ///
    /// ```swift
    /// for step in try await plan.run(on: sensor).steps {
    ///   if case .value(let value)? = step.outcome { print(step.title, value.octets) }
    /// }
    /// ```
    public var outcome: StepOutcome? { result.outcome }
    /// The failure; nil for an expected one.
    public var failure: RunFailure? { result.failure }
    /// The attempts in order, if there was more than one.
    var tries: [StepTry] { result.tries }
    /// The duration.
    public var took: Duration { result.took }

    /// Remarks on a step that did not fail; for a skipped one, the reason.
    public var notes: [String] {
      status == .skipped && result.notes.isEmpty ? ["its condition did not hold"] : result.notes
    }

    /// The title with the position, `1  read battery-level`; an implied step has no position.
    public var title: String { RecordedRun.title(of: result.step) }

    /// Whether the step succeeded or was skipped.
    public var succeeded: Bool { status == .ok || status == .skipped }

    /// The reason for skipping on one line; nil if the step was not skipped.
    var skipped: String? { status == .skipped ? notes.joined(separator: "; ") : nil }

    /// The remarks on a step that was not skipped.
    var remarks: [String] { status == .skipped ? [] : notes }

    /// The lines of the text report.
    var lines: [String] { TextReport.lines(result) }
  }
}

extension StepResult {
  /// The result with warnings and expected failures converted to notes.
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
      // Attempts and remarks are notes, too, but not warnings.
      judged.notes = notes.map { failure == nil || $0 == failure?.why ? "warning: \($0)" : $0 }
      judged.failure = nil
    case .failed, .cancelled, .skipped: break
    }
    return judged
  }
}
