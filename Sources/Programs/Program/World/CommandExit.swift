// The exit of a command that failed: its status, and the problems to print.

import Documents
package import Jobs
import Journal

/// An exit status, and the problems to print on standard error.
package struct CommandExit: Error {
  package let status: ExitStatus
  /// Empty if everything was already printed.
  let problems: [Problem]

  init(_ status: ExitStatus, _ problems: [Problem]) {
    self.status = status
    self.problems = problems
  }

  package init(_ status: ExitStatus, _ messages: String...) {
    self.init(status, messages.map { Problem($0) })
  }

  /// The problems of a file.
  init(_ errors: DocumentErrors) { self.init(.data, errors.problems) }

  /// A failed operation.
  init(_ failure: RunFailure) { self.init(ExitStatus(after: failure), "\(failure)") }

  /// A journal that could not be read: an invalid file, or an error of the system.
  init(_ failure: JournalFailure) {
    switch failure.kind {
    case .damaged, .notAJournal, .newer: self.init(.data, "\(failure)")
    case .missing, .empty: self.init(.failed, "\(failure)")
    case .locked: self.init(.passing, "\(failure)")
    case .full, .noPlace, .notPermitted, .notReadable, .inTwoFiles, .system:
      self.init(.output, "\(failure)")
    }
  }

  /// The end of a command that threw an error; nil for errors of the argument parser.
  init?(of error: any Error) {
    switch error {
    case let ending as CommandExit: self = ending
    case let errors as DocumentErrors: self.init(errors)
    case let failure as RunFailure: self.init(failure)
    case let failure as JournalFailure: self.init(failure)
    default: return nil
    }
  }

  /// The problems, one line each, without quoted lines.
  package var messages: [String] { problems.map(\.description) }
}
