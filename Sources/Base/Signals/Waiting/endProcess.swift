// Ends the process with a message, when the system has run out of a resource.
//
// Not for programming errors: those are preconditions, whose messages a release build drops.

import Glibc

/// Ends the process at once, with a line on standard error and exit status 69 (`EX_UNAVAILABLE`).
///
/// For failures that no caller could handle: without a descriptor or a thread there is no loop, no
/// output and no signal.
///
/// - Parameter reason: The missing resource, and a remedy.
package func endProcess(_ reason: String) -> Never {
  writeToStandardError(reason)
  _exit(EX_UNAVAILABLE)
}

/// Writes a line on standard error, for failures at the end of a process, which no caller receives.
func writeToStandardError(_ text: String) {
  let line = Array("blerun: \(text)\n".utf8)
  _ = Glibc.write(STDERR_FILENO, line, line.count)
}
