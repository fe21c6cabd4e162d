// A failure without its operation: what went wrong, but not what was being done.

import BlueZInterfaces
import Bluetooth
import Signals

/// An explanation with the error reply behind it, on its way up to the operation.
struct Problem: Error, Equatable {
  let explanation: Explanation
  let answer: ErrorAnswer?
  /// When it happened, if it may be noticed much later; nil: now.
  let happened: Instant?
  /// The deadline that passed, if that is the cause.
  let deadline: TimedOut?

  init(
    _ explanation: Explanation,
    answer: ErrorAnswer? = nil,
    happened: Instant? = nil,
    deadline: TimedOut? = nil
  ) {
    self.deadline = deadline
    self.explanation = explanation
    self.answer = answer
    self.happened = happened
  }
}
