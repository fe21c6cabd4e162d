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

extension MessageTemplate {
  static let shape = "a text, with captured values in braces: 'it is {reading.celsius}'"
}

extension VariablePath {
  static let shape = "a name of letters, digits, - and _ that begins with a letter"
}
