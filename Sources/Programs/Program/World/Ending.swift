// How a command ends that could not do its work.

import Documents
package import Jobs
import Journal

/// An exit status, and what is printed on standard error before it.
package struct Ending: Error {
  package let status: ExitStatus
  /// None when everything was printed.
  let problems: [Problem]

  init(_ status: ExitStatus, _ problems: [Problem]) {
    self.status = status
    self.problems = problems
  }

  package init(_ status: ExitStatus, _ messages: String...) {
    self.init(status, messages.map { Problem($0) })
  }

  /// Everything that is wrong with a file.
  init(_ errors: DocumentErrors) { self.init(.data, errors.problems) }

  /// An operation failed.
  init(_ failure: RunFailure) { self.init(ExitStatus(after: failure), "\(failure)") }

  /// A journal could not be read: a file that is wrong, or a system that refuses.
  init(_ failure: JournalFailure) {
    switch failure.kind {
    case .damaged, .notAJournal, .newer: self.init(.data, "\(failure)")
    case .missing, .empty: self.init(.failed, "\(failure)")
    case .locked: self.init(.passing, "\(failure)")
    case .full, .noPlace, .notPermitted, .notReadable, .inTwoFiles, .system:
      self.init(.output, "\(failure)")
    }
  }

  /// How a command ends that threw an error; nil for the errors of the parser.
  init?(of error: any Error) {
    switch error {
    case let ending as Ending: self = ending
    case let errors as DocumentErrors: self.init(errors)
    case let failure as RunFailure: self.init(failure)
    case let failure as JournalFailure: self.init(failure)
    default: return nil
    }
  }

  /// The problems on one line each, without the lines that they quote.
  package var messages: [String] { problems.map(\.description) }
}
