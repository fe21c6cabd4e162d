// A failure below the operation: it knows what went wrong, not yet what was being done.

import BlueZInterfaces
import Bluetooth

/// An explanation with the answer it was made from, on its way up to the operation.
struct Problem: Error, Equatable {
  let explanation: Explanation
  let answer: ErrorAnswer?

  init(_ explanation: Explanation, answer: ErrorAnswer? = nil) {
    self.explanation = explanation
    self.answer = answer
  }
}
