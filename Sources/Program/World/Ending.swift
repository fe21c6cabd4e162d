// How a command ends that could not do its work.

import Documents
package import Jobs

/// One thing that a command reports as wrong.
package struct Diagnostic: Sendable {
  /// What is wrong, on one line.
  let text: String
  /// The part of a one-line chain that it is about, with a mark under it.
  var excerpt: [String] = []
}

/// A device, a service, a characteristic or a value of the command line that cannot be read.
///
/// It has the exit status of the same text in a chain. An option or an argument that is missing,
/// superfluous or unknown is wrong usage, a `ValidationError`.
struct WrongText: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// An exit status, and what is printed on standard error before it.
package struct Ending: Error {
  package let status: ExitStatus
  /// None when everything was printed.
  package let diagnostics: [Diagnostic]

  package init(_ status: ExitStatus, _ diagnostics: [Diagnostic]) {
    self.status = status
    self.diagnostics = diagnostics
  }

  package init(_ status: ExitStatus, _ messages: String...) {
    self.init(status, messages.map { Diagnostic(text: $0) })
  }

  /// Everything that is wrong with files or steps.
  init(wrongFiles diagnostics: [Diagnostic]) { self.init(.data, diagnostics) }

  /// Everything that is wrong with a file.
  init(_ errors: DocumentErrors) { self.init(wrongFiles: errors.diagnostics()) }

  /// The messages, without excerpts.
  package var messages: [String] { diagnostics.map(\.text) }
}

extension DocumentErrors {
  /// The errors, for a person.
  ///
  /// - Parameter line: The text of the one-line form that they are about, which is quoted.
  func diagnostics(about line: String? = nil) -> [Diagnostic] {
    problems.map { problem in
      let place = problem.place
      let excerpt =
        if let line = problem.line {
          LineExcerpt(line, at: Place(file: place.file, line: 1, column: place.column))
        } else if place.file == Plan.lineName {
          line.flatMap { LineExcerpt($0, at: place) }
        } else {
          LineExcerpt?.none
        }
      return Diagnostic(text: problem.description, excerpt: excerpt?.lines ?? [])
    }
  }
}
