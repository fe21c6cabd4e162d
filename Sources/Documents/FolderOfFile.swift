// The files that a file may name: those below its own folder, after symbolic links are resolved.

import Glibc

/// The folder of a file.
package struct FolderOfFile {
  /// Without symbolic links; nil for a missing folder.
  package let path: String?
  /// The file itself, without symbolic links.
  package let realPath: String?

  package init(_ file: String) {
    let slash = file.lastIndex(of: "/")
    path = Self.realPath(slash.map { String(file[...$0]) } ?? ".")
    realPath = Self.realPath(file)
  }

  /// The real path of a regular file below the folder.
  ///
  /// - Parameters:
  ///   - path: As this process sees it.
  ///   - owner: The owner of the folder, for the reason: "the chain".
  package func realPath(of path: String, owner: String) throws(Problem) -> String {
    guard let real = Self.realPath(path) else {
      throw Problem("the file cannot be read: \(String(cString: strerror(errno)))")
    }
    guard let folder = self.path, real.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    else {
      throw Problem("the file is not below the folder of \(owner)")
    }
    guard TextFile.isRegular(real) else { throw Problem("not a regular file") }
    return real
  }

  /// A path without symbolic links; nil for a missing file.
  package static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
