// What an operation has found so far: kept also when it fails.

import Jobs
import Signals

/// What an operation brought, and what is to be known of it.
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
  ///   - expected: What is expected of the assertion.
  /// - Throws: ``AssertionFailure`` when that is not so, and does harm.
  func judge(_ title: String, _ complaint: String?, _ expected: ExpectedResult) throws {
    guard (complaint != nil) != expected.isFailure else { return }
    let why = "\(title): \(complaint ?? "this holds, and was expected not to")"
    guard expected.isLenient else { throw AssertionFailure(description: why) }
    note(why)
  }
}
