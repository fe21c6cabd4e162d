// A file that could not be created or written: the reason and the advice.

import Glibc
import Jobs

/// A file or folder that could not be created or written.
package struct FileFailure: Equatable, Sendable, CustomStringConvertible {
  let path: String
  /// The operation that failed: "cannot be written".
  let what: String
  /// The error number.
  let number: Int32

  /// - Parameter number: The error number; without it, that of the last system call.
  package init(_ path: String, _ what: String, _ number: Int32 = errno) {
    (self.path, self.what, self.number) = (path, what, number)
  }

  /// The operation, the reason and, where there is one, the advice.
  package var description: String {
    "\(path.isEmpty ? "''" : path) \(what): \(why)\(hint.map { ". Try: \($0)" } ?? "")"
  }

  private var why: String {
    switch number {
    case ENOENT where path.isEmpty: "its name is empty"
    case ENOENT: "its folder does not exist"
    case ENOTDIR: "a part of its path is not a folder"
    case EISDIR: "a folder is in its place"
    default: String(cString: strerror(number))
    }
  }

  private var hint: String? {
    switch number {
    case ENOENT where path.isEmpty: "name a file"
    case ENOENT: "make the folder, or name another one"
    case ENOTDIR, EISDIR, EEXIST: "use another name"
    case EACCES, EPERM: "check the permissions of the file and its folder, or name another file"
    case EROFS: "name a file on another disk"
    case ENOSPC, EDQUOT: "free space, or name a file on another disk"
    case ENAMETOOLONG: "use a shorter name"
    case EFBIG: "raise the limit of the shell on the size of files (ulimit -f)"
    case EMFILE, ENFILE: "raise the limit of the shell on open files (ulimit -n)"
    default: nil
    }
  }
}

extension FileFailure {
  /// `-`, which means standard output to other programs, where a file has to be named.
  static let dash = CommandExit(
    .usage, "- is not standard output here: name a file; ./- is one of that name")
}
