// A file that takes the place of another one, under its name.
//
// Only the steps at its end: who may write where is decided before.

import Documents
import Glibc

/// An open file that is to replace another one.
package struct FileReplacement {
  /// The file that is replaced.
  let path: String
  /// Where the new content is until then.
  let beside: String
  let descriptor: Int32

  /// Makes the file beside.
  ///
  /// - Parameter isShared: Whether other processes may do the same: then one that exists is theirs.
  /// - Returns: Nil when it cannot be made; `errno` has the reason.
  package init?(of path: String, beside: String, isShared: Bool) {
    (self.path, self.beside) = (path, beside)
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (isShared ? O_EXCL : O_TRUNC)
    descriptor = open(beside, flags, 0o600)
    if descriptor < 0 { return nil }
  }

  /// Writes the content and replaces the file: whoever reads it finds the old one or the new one.
  ///
  /// - Parameter isDurable: Whether that also holds after a loss of power, and the new one is there
  ///   when this returns.
  /// - Returns: The error number when it was not replaced.
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
