// The chain files of a folder.

import Documents
import Glibc
import Jobs

/// A folder whose chain files are run together.
enum ChainFolder {
  /// The maximum number of files in a folder.
  private static let limit = 10_000

  /// The names of the chain files in a folder, in order; nil for anything else.
  ///
  /// Hidden files and those in folders inside are not among them.
  ///
  /// - Throws: ``CommandExit`` for a folder without chain files, and one that cannot be read.
  static func names(in path: String) throws(CommandExit) -> [String]? {
    guard isFolder(path) else { return nil }
    guard let all = Folder.names(in: path) else {
      throw CommandExit(
        .data, "\(path): the folder cannot be read: \(String(cString: strerror(errno)))")
    }
    let names = all.filter { name in
      !name.hasPrefix(".") && (name.hasSuffix(".yaml") || name.hasSuffix(".yml"))
    }
    guard names.count <= limit else {
      throw CommandExit(.usage, "\(path): the folder has more than \(limit) chain files")
    }
    guard !names.isEmpty else {
      throw CommandExit(.usage, "\(path): the folder has no chain file (*.yaml, *.yml)")
    }
    return names
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return path != "-" && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
