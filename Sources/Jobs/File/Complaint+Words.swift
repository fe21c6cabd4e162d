// Errors that files and the one-line form share.

import Bluetooth
import Documents

extension Problem {
  /// A text that does not name a characteristic.
  init(_ error: SelectorError) {
    self.init(error.problem, expected: error.expected, nearest: error.nearest)
  }

  /// A word that is not a format.
  static func noFormat(_ word: String) -> Problem {
    .unknown("unknown format '\(word)'", word, among: ValueFormat.names)
  }
}

extension Subjects {
  /// A name that a step's value does not have.
  func complaint(about name: String) -> Problem {
    .unknown("the value has no '\(name)'", name, among: names)
  }
}

extension Listening {
  /// A step without stop conditions.
  static let endless = Problem(
    "this would listen for ever",
    expected: "'until' with a count, or 'for' with a duration"
  )

  /// A timeout that is shorter than the duration of the step.
  static func tooShort(_ timeout: Duration, for duration: Duration) -> Problem {
    Problem(
      "a limit of \(timeout.written) ends before the \(duration.written) of 'for'",
      expected: "\(duration.written) or more"
    )
  }
}

extension MessageTemplate {
  static let shape = "a text, with captured values in braces: 'it is {reading.celsius}'"
}

extension VariablePath {
  static let shape = "a name of letters, digits, - and _ that begins with a letter"
}
