// The files of a folder, and folders that are missing.

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
  @discardableResult
  package static func make(_ path: String, isDurable: Bool = false) -> Int32? {
    guard access(path, F_OK) != 0 else { return nil }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex,
      let number = make(String(path[..<slash]), isDurable: isDurable)
    {
      return number
    }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { return errno }
    if isDurable { _ = sync(of: path) }
    return nil
  }

  /// Waits until the disk has the names in the folder of a file.
  ///
  /// - Returns: The error number where it does not; nil where it does.
  package static func sync(of path: String) -> Int32? {
    let slash = path.lastIndex(of: "/")
    let folder = open(
      slash.map { String(path[...$0]) } ?? ".",
      O_RDONLY | O_DIRECTORY | O_CLOEXEC
    )
    guard folder >= 0 else { return errno }
    defer { close(folder) }
    return fsync(folder) == 0 ? nil : errno
  }
}
