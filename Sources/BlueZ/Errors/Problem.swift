// A failure without its operation: what went wrong, but not what was being done.

import BlueZInterfaces
import Bluetooth

/// An explanation with the error reply behind it, on its way up to the operation.
struct Problem: Error, Equatable {
  let explanation: Explanation
  let answer: ErrorAnswer?

  init(_ explanation: Explanation, answer: ErrorAnswer? = nil) {
    self.explanation = explanation
    self.answer = answer
  }
}
