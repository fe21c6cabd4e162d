// A file that is written as a whole, when all is over.

import Documents
import Glibc
import Jobs
import Signals

/// A file whose content stays as it was until there is a new one.
///
/// The new content is written beside it and put in its place; whoever kills the program, or reads the
/// file meanwhile, finds the one or the other. What is not a regular file (a pipe, a device), what has
/// several names and what the process prints to is written as it stands.
final class WholeFile: Sendable {
  private let path: String
  private let descriptor: Int32
  /// Whether there was no file before.
  private let isNew: Bool
  private let failed = Guarded<Int32?>(nil)

  /// Makes the file where there is none, and sees that it can be written.
  init(_ path: String) throws(Ending) {
    self.path = path
    guard path != "-" else { throw FileFailure.dash }
    isNew = access(path, F_OK) != 0
    descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw Ending(.output, "\(FileFailure(path, "cannot be written"))")
    }
  }

  deinit { close(descriptor) }

  /// The message where its content could not be written; nil while it was.
  var failure: String? {
    failed.withLock { $0 }.map { "\(FileFailure(path, "could not be written", $0))" }
  }

  /// Deletes the file where there was none before.
  func removeIfNew() {
    if isNew { unlink(path) }
  }

  /// Puts a text in the place of the content. After a failure it does nothing.
  func replace(with text: PrintableText) {
    guard failed.withLock({ $0 == nil }) else { return }
    var status = stat()
    let isThere = fstat(descriptor, &status) == 0
    if let number = isThere ? write(text, status) : errno { failed.withLock { $0 = number } }
  }

  private func write(_ text: PrintableText, _ opened: stat) -> Int32? {
    guard opened.st_mode & S_IFMT == S_IFREG else { return writeAll(descriptor, [.text(text)]) }
    if StandardOutput.isPrinted(to: opened) {
      _ = lseek(descriptor, 0, SEEK_END)
      return writeAll(descriptor, [.text(text)])
    }
    // One that this has replaced has no name any more.
    if opened.st_nlink < 2, let real = FolderOfFile.realPath(path) {
      let beside = "\(real).\(getpid())"
      if let new = FileReplacement(of: real, beside: beside, isShared: true) {
        let octets = Written.octets(of: [.text(text)])
        return new.put(octets, mode: opened.st_mode, isDurable: false)
      }
    }
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { return errno }
    return writeAll(descriptor, [.text(text)])
  }
}
