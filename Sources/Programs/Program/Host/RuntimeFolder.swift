// The folder of the files by which runs of one user coordinate.

import Documents
import Glibc

/// A folder that only this user can write to, and that is empty after a boot.
struct RuntimeFolder: Sendable {
  let path: String

  /// The folder `blerun` in `XDG_RUNTIME_DIR` or `/run/user/UID`, else `/tmp/blerun-UID`. Created if missing.
  ///
  /// - Throws: ``Problem`` if each of them cannot be created, or is writable by other users.
  init(environment: (String) -> String? = RuntimeFolder.variable) throws(Problem) {
    let user = getuid()
    var candidates: [String] = []
    if let given = environment("XDG_RUNTIME_DIR"), given.hasPrefix("/") {
      candidates.append("\(given)/blerun")
    }
    candidates += ["/run/user/\(user)/blerun", "/tmp/blerun-\(user)"]
    for candidate in candidates where Self.isOurs(candidate) {
      path = candidate
      return
    }
    throw Problem("no folder for locks: \(candidates.joined(separator: ", "))")
  }

  /// - Parameter path: An existing folder.
  init(path: String) { self.path = path }

  /// Creates the folder if it is missing. Returns whether only this user can write to it.
  private static func isOurs(_ path: String) -> Bool {
    if mkdir(path, 0o700) != 0, errno != EEXIST { return false }
    var status = stat()
    guard lstat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == getuid()
      && status.st_mode & 0o022 == 0
  }

  static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// The folder for temporary files: `$TMPDIR`, or `/tmp`.
  static var temporary: String {
    let given = variable("TMPDIR") ?? ""
    return given.hasPrefix("/") ? given : "/tmp"
  }

  /// The names of the files in the folder, sorted.
  var names: [String] { Folder.names(in: path) ?? [] }
}
