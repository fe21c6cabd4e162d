// Data to standard output, everything else to standard error.
//
// The only file of the package that writes to them.

import Bluetooth
import Glibc
import Jobs
import Signals

/// Standard output, until its reader goes away.
final class StandardOutput: Sendable {
  private let failed = Guarded<OutputFailure?>(nil)
  private let onFailure: @Sendable (RunFailure) -> Void

  /// - Parameter onFailure: Called once, when a write has failed, with what ends the run.
  init(onFailure: @escaping @Sendable (RunFailure) -> Void = { _ in }) {
    self.onFailure = onFailure
  }

  /// Why nothing can be written any more.
  var failure: OutputFailure? { failed.withLock { $0 } }

  /// Writes a line. After a failure it does nothing.
  func line(_ text: String) {
    guard failure == nil, let number = writeAll(STDOUT_FILENO, text + "\n") else { return }
    let failure = OutputFailure(errorNumber: number)
    failed.withLock { $0 = failure }
    onFailure(RunFailure(failure))
  }

  /// Whether a file is what standard output or standard error goes to.
  static func isPrinted(to file: stat) -> Bool {
    [STDOUT_FILENO, STDERR_FILENO].contains { descriptor in
      var status = stat()
      return fstat(descriptor, &status) == 0 && status.st_dev == file.st_dev
        && status.st_ino == file.st_ino
    }
  }
}

/// Standard output could not be written.
struct OutputFailure: Error, Sendable, CustomStringConvertible {
  let errorNumber: Int32

  var description: String {
    errorNumber == EPIPE
      ? "the reader of standard output is gone"
      : "standard output could not be written: \(String(cString: strerror(errorNumber)))"
  }
}

extension RunFailure {
  /// Nobody receives the results of the run.
  fileprivate init(_ failure: OutputFailure) {
    self.init(
      code: .interrupted,
      class: .definite,
      what: "running the chain",
      why: failure.description
    )
  }
}

/// Standard error: what a person should know, never data.
enum StandardError {
  /// Writes a line; a failure to do so is nobody's business.
  static func line(_ text: String) { write(text + "\n") }

  /// Writes a part of a line.
  static func write(_ text: String) { _ = writeAll(STDERR_FILENO, text) }
}
