// How a command ends that could not do its work.

import Documents
package import Jobs

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

  /// The problems on one line each, without the lines that they quote.
  package var messages: [String] { problems.map(\.description) }
}
