// One finding of `blerun doctor`.

import Jobs

/// A sentence about this host, with its severity and advice.
struct Finding: Hashable, Sendable {
  enum Grade: String, Hashable, Sendable {
    /// As it should be.
    case ok
    /// Information without a problem.
    case note
    /// Chains may fail because of it.
    case warning
    /// No chain can run.
    case unusable
  }

  let grade: Grade
  /// The subject, stable in output: `bus`, `daemon`, `adapter`, `rfkill`, `scan`, `link`, `orphan`,
  /// `run`, `privilege`.
  let subject: String
  let text: String
  /// The advice; nil if there is nothing to do.
  let hint: String?

  init(_ grade: Grade, _ subject: String, _ text: String, hint: String? = nil) {
    self.grade = grade
    self.subject = subject
    self.text = text
    self.hint = hint
  }

  /// The finding on one line of text.
  var line: String {
    let head = "\(grade.rawValue.padded(to: 8))  \(subject.padded(to: 9))  \(text)"
    return hint.map { "\(head). Do: \($0)" } ?? head
  }

  var json: String {
    EventLine(
      "finding", ["grade": grade.rawValue, "subject": subject, "text": text, "hint": hint]
    ).text
  }
}
