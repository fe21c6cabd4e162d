// Lists and creates folders, and resolves the paths of files that a file names.

import Glibc

/// Operations on folders of this host.
package enum Folder {
  /// The names of the entries of a folder, sorted; nil if it cannot be read, with the reason in
  /// `errno`.
  package static func names(in path: String) -> [String]? {
    guard let folder = opendir(path) else { return nil }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Creates a folder, accessible only to this user, and its missing parents.
  ///
  /// - Parameter isDurable: Whether to wait until their names are on the disk.
  /// - Returns: The error number if one cannot be created; nil on success.
  package static func make(_ path: String, isDurable: Bool = false) -> Int32? {
    guard !path.isEmpty, access(path, F_OK) != 0 else { return nil }
    if let number = make(of: path, isDurable: isDurable) { return number }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { return errno }
    if isDurable { _ = sync(of: path) }
    return nil
  }

  /// Creates the folder of a file and its missing parents.
  package static func make(of file: String, isDurable: Bool = false) -> Int32? {
    // In the root the text before the slash is empty.
    file.lastIndex(of: "/").flatMap { make(String(file[..<$0]), isDurable: isDurable) }
  }

  /// Waits until the names in the folder of a file are on the disk.
  ///
  /// - Returns: The error number; nil on success.
  package static func sync(of path: String) -> Int32? {
    let slash = path.lastIndex(of: "/")
    let folder = open(slash.map { String(path[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return errno }
    defer { close(folder) }
    return fsync(folder) == 0 ? nil : errno
  }
}

/// The folder of a file, which restricts the files that the file may name.
package struct FolderOfFile {
  /// The path without symbolic links; nil for a missing folder.
  package let path: String?
  /// The path of the file itself, without symbolic links; nil for a missing file.
  package let realPath: String?

  package init(_ file: String) {
    let slash = file.lastIndex(of: "/")
    path = Self.realPath(slash.map { String(file[...$0]) } ?? ".")
    realPath = Self.realPath(file)
  }

  /// Resolves the path of a regular file below the folder.
  ///
  /// - Parameters:
  ///   - path: The path, as this process sees it.
  ///   - owner: The file of this folder, for the error: "the chain".
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
