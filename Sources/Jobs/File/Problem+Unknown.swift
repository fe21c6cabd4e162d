// Values in files that name no characteristic and no format.

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
