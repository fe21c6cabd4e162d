// A file that lines are written to.

import Glibc
import Jobs
import Signals

/// An open file. Each line is written at once: what was written survives the process.
final class LineFile: Sendable {
  private let path: String
  private let descriptor: Int32
  private let failed = Guarded<Int32?>(nil)

  /// Makes the file, or empties the one that is there.
  ///
  /// - Throws: ``Ending`` when that is not possible.
  init(_ path: String) throws(Ending) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw Ending(.output, "\(path) cannot be written: \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(descriptor) }

  /// The message where a part of it could not be written; nil while all was.
  var failure: String? {
    failed.withLock { $0 }.map { "\(path) could not be written: \(String(cString: strerror($0)))" }
  }

  /// Writes a line. After a failure it does nothing.
  func line(_ text: String) {
    guard failed.withLock({ $0 == nil }),
      let number = writeAll(descriptor, [.text(PrintableText(line: text)), .lineEnd])
    else { return }
    failed.withLock { $0 = number }
  }
}
