// The files of a folder, folders that are missing, and the files that a file may name.

import Glibc

/// A folder of this host.
package enum Folder {
  /// The names of the files in a folder, sorted; nil for a folder that cannot be read, with the reason
  /// in `errno`.
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

  /// Makes a folder for this user alone, and the folders above it, where they are missing.
  ///
  /// - Parameter isDurable: Whether it waits until the disk has their names.
  /// - Returns: The error number where one cannot be made; nil where all exist.
  package static func make(_ path: String, isDurable: Bool = false) -> Int32? {
    guard !path.isEmpty, access(path, F_OK) != 0 else { return nil }
    if let number = make(of: path, isDurable: isDurable) { return number }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { return errno }
    if isDurable { _ = sync(of: path) }
    return nil
  }

  /// The same for the folder of a file.
  package static func make(of file: String, isDurable: Bool = false) -> Int32? {
    // In the root there is nothing before the slash.
    file.lastIndex(of: "/").flatMap { make(String(file[..<$0]), isDurable: isDurable) }
  }

  /// Waits until the disk has the names in the folder of a file.
  ///
  /// - Returns: The error number where it does not; nil where it does.
  package static func sync(of path: String) -> Int32? {
    let slash = path.lastIndex(of: "/")
    let folder = open(slash.map { String(path[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return errno }
    defer { close(folder) }
    return fsync(folder) == 0 ? nil : errno
  }
}

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
