// A file written line by line.

import Documents
import Glibc
import Jobs
import Signals

/// An open file. Each line is written at once and survives the process.
final class LineFile: Sendable {
  private let path: String
  /// The path of the temporary file, until ``finish(isKept:)`` decides; nil if lines go to the file itself.
  private let beside: String?
  private let descriptor: Int32
  private let failed = Guarded<Int32?>(nil)

  /// Creates or truncates the file.
  ///
  /// - Parameter isKeptLater: Whether ``finish(isKept:)`` decides if the file is written. Until then, lines go to a
  ///   temporary file in its folder.
  init(_ path: String, isKeptLater: Bool = false) throws(CommandExit) {
    self.path = path
    guard path != "-" else { throw FileFailure.dash }
    var status = stat()
    if isKeptLater, stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw CommandExit(.usage, "\(path) is not a regular file, and lines cannot be taken back")
    }
    beside = isKeptLater ? "\(FolderOfFile.realPath(path) ?? path).\(getpid())" : nil
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC
    descriptor = open(beside ?? path, flags | (beside == nil ? O_TRUNC : O_EXCL), 0o644)
    guard descriptor >= 0 else {
      throw CommandExit(.output, "\(FileFailure(path, "cannot be written"))")
    }
  }

  deinit { close(descriptor) }

  /// The message about the first failed write; nil without one.
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

  /// Renames or deletes the temporary file, if there is one.
  ///
  /// - Parameter replaces: Whether an existing file is replaced.
  /// - Returns: The temporary file, which has the lines, if it was not renamed because the file exists now.
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
