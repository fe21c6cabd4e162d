// Replaces the content of a file atomically: a new file is renamed over it.
//
// Whether the file may be replaced is the decision of the callers.

import Documents
import Glibc

/// An open file that will be renamed over another one.
package struct FileReplacement {
  /// The path of the file to replace.
  let path: String
  /// The path of the new file until the rename.
  let beside: String
  let descriptor: Int32

  /// Creates the new file.
  ///
  /// - Parameter isShared: Whether other processes may replace the file too: an existing new file is then theirs.
  /// - Returns: Nil if it cannot be created, with the reason in `errno`.
  package init?(of path: String, beside: String, isShared: Bool) {
    (self.path, self.beside) = (path, beside)
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (isShared ? O_EXCL : O_TRUNC)
    descriptor = open(beside, flags, 0o600)
    if descriptor < 0 { return nil }
  }

  /// Writes the content and renames the file. Readers see the old content or the new one.
  ///
  /// - Parameter isDurable: Whether the new content is on the disk when this returns.
  /// - Returns: The error number if the file was not replaced.
  package func put(_ octets: [UInt8], mode: UInt32, isDurable: Bool) -> Int32? {
    var number = writeAll(descriptor, octets)
    if number == nil, fchmod(descriptor, mode & 0o7777) != 0 { number = errno }
    if number == nil, isDurable, fdatasync(descriptor) != 0 { number = errno }
    if close(descriptor) != 0, number == nil { number = errno }
    if number == nil, rename(beside, path) != 0 { number = errno }
    if number != nil { unlink(beside) }
    return number ?? (isDurable ? Folder.sync(of: path) : nil)
  }
}
