// One thing that the doctor found.

import Jobs

/// A sentence about this host, how grave it is, and what to do about it.
struct Finding: Hashable, Sendable {
  enum Grade: String, Hashable, Sendable {
    /// As it should be.
    case ok
    /// Worth knowing.
    case note
    /// Chains may fail because of it.
    case warning
    /// No chain can run.
    case unusable
  }

  let grade: Grade
  /// What it is about, stable in output: `bus`, `daemon`, `adapter`, `rfkill`, `scan`, `link`,
  /// `orphan`, `run`, `privilege`.
  let subject: String
  let text: String
  /// What to do; nil where there is nothing to do.
  let hint: String?

  init(_ grade: Grade, _ subject: String, _ text: String, hint: String? = nil) {
    self.grade = grade
    self.subject = subject
    self.text = text
    self.hint = hint
  }

  /// One line for people.
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
