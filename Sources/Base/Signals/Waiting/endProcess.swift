// The end of a process that the system has nothing left for.
//
// Not for mistakes of the program: those are preconditions, which have no words in a release.

import Glibc

/// Ends the process at once, with a line on standard error and exit status 69 (`EX_UNAVAILABLE`).
///
/// For what nobody could handle: without a descriptor or a thread there is no loop, no output and no
/// signal.
///
/// - Parameter reason: What is missing, and what to try.
package func endProcess(_ reason: String) -> Never {
  let line = Array("blerun: \(reason)\n".utf8)
  _ = Glibc.write(STDERR_FILENO, line, line.count)
  _exit(EX_UNAVAILABLE)
}
