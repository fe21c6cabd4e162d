// A file that lines are written to.

import Documents
import Glibc
import Jobs
import Signals

/// An open file. Each line is written at once: what was written survives the process.
final class LineFile: Sendable {
  private let path: String
  /// Where the lines are until it is known that they are kept; nil where they are in their place.
  private let beside: String?
  private let descriptor: Int32
  private let failed = Guarded<Int32?>(nil)

  /// Makes the file, or empties the one that is there.
  ///
  /// - Parameter isKeptLater: Whether ``finish(isKept:)`` decides about the file. Until then its lines
  ///   are in a file beside it.
  init(_ path: String, isKeptLater: Bool = false) throws(Ending) {
    self.path = path
    guard path != "-" else { throw FileFailure.dash }
    var status = stat()
    if isKeptLater, stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw Ending(.usage, "\(path) is not a regular file, and lines cannot be taken back")
    }
    beside = isKeptLater ? "\(FolderOfFile.realPath(path) ?? path).\(getpid())" : nil
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC
    descriptor = open(beside ?? path, flags | (beside == nil ? O_TRUNC : O_EXCL), 0o644)
    guard descriptor >= 0 else {
      throw Ending(.output, "\(FileFailure(path, "cannot be written"))")
    }
  }

  deinit { close(descriptor) }

  /// The message where a part of it could not be written; nil while all was.
  var failure: String? {
    failed.withLock { $0 }.map { "\(FileFailure(path, "could not be written", $0))" }
  }

  /// Writes a line. After a failure it does nothing.
  func line(_ text: String) {
    guard failed.withLock({ $0 == nil }),
      let number = writeAll(descriptor, [.text(PrintableText(line: text)), .lineEnd])
    else { return }
    failed.withLock { $0 = number }
  }

  /// Puts the lines in their place, or deletes them, where that was to be decided.
  ///
  /// - Parameter replaces: Whether a file that is there is replaced.
  /// - Returns: The file beside which has the lines, where another one has appeared in their place.
  @discardableResult
  func finish(isKept: Bool, replaces: Bool = true) -> String? {
    guard let beside else { return nil }
    if !isKept {
      unlink(beside)
    } else if !replaces {
      // Unlike a rename, a link fails where there is a file.
      if link(beside, path) == 0 {
        unlink(beside)
      } else if errno == EEXIST || access(path, F_OK) == 0 {
        return beside
      } else if rename(beside, path) != 0 {
        failed.withLock { $0 = $0 ?? errno }
      }
    } else if rename(beside, FolderOfFile.realPath(path) ?? path) != 0 {
      failed.withLock { $0 = $0 ?? errno }
    }
    return nil
  }
}
