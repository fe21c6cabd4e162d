// A file that is written as a whole, at the end.

import Documents
import Glibc
import Jobs
import Signals

/// A file whose content is replaced atomically.
///
/// The new content is written to a temporary file, which is renamed over the old one: readers see one or the other,
/// also if the program is killed. Pipes, devices, files with several hard links and the files that standard output
/// or standard error go to are written in place.
final class WholeFile: Sendable {
  private let path: String
  private let descriptor: Int32
  /// Whether this process created the file.
  private let isNew: Bool
  private let failed = Guarded<Int32?>(nil)

  /// Opens or creates the file, to check that it can be written.
  init(_ path: String) throws(CommandExit) {
    self.path = path
    guard path != "-" else { throw FileFailure.dash }
    isNew = access(path, F_OK) != 0
    descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw CommandExit(.output, "\(FileFailure(path, "cannot be written"))")
    }
  }

  deinit { close(descriptor) }

  /// The message about a failed write; nil without one.
  var failure: String? {
    failed.withLock { $0 }.map { "\(FileFailure(path, "could not be written", $0))" }
  }

  /// Deletes the file if this process created it.
  func removeIfNew() {
    if isNew { unlink(path) }
  }

  /// Replaces the content. After a failure it does nothing.
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
    // A file that was already replaced once has no link left.
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
