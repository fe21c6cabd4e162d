// How a command ends that could not do its work.

import Jobs

/// An exit status, and what is printed on standard error before it.
struct Ending: Error {
  let status: ExitStatus
  /// One line each; none when everything was printed.
  let messages: [String]

  init(_ status: ExitStatus, _ messages: String...) {
    self.status = status
    self.messages = messages
  }

  init(_ status: ExitStatus, messages: [String]) {
    self.status = status
    self.messages = messages
  }

  /// Everything that is wrong with files, one complaint a line.
  init(wrongFiles complaints: [String]) {
    status = .data
    messages = complaints
  }
}
