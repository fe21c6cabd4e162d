// The outcome and the notes of an operation so far, kept also when it fails.

import Jobs
import Signals

/// The outcome and the notes of an operation.
final class Findings: Sendable {
  private let state = Guarded<(outcome: StepOutcome?, notes: [String])>((nil, []))

  var outcome: StepOutcome? {
    get { state.withLock { $0.outcome } }
    set { state.withLock { $0.outcome = newValue } }
  }

  var notes: [String] { state.withLock { $0.notes } }

  func note(_ text: String) { state.withLock { $0.notes.append(text) } }

  /// Judges one assertion.
  ///
  /// - Parameters:
  ///   - complaint: What is wrong; nil when the assertion holds.
  ///   - expected: The expected result.
  /// - Throws: ``AssertionFailure`` when the result is not the expected one, and that is a failure.
  func judge(_ title: String, _ complaint: String?, _ expected: ExpectedResult) throws {
    guard (complaint != nil) != expected.isFailure else { return }
    let why = "\(title): \(complaint ?? "expected not to hold, but it holds")"
    guard expected.isLenient else { throw AssertionFailure(description: why) }
    note(why)
  }
}
