// Where this host's runs leave word for one another.

import Documents
import Glibc

/// A folder of the user's that nobody else can write to, and that is empty after a restart.
struct RuntimeFolder: Sendable {
  let path: String

  /// The folder `blerun` in `XDG_RUNTIME_DIR`, in `/run/user/UID`, or else `/tmp/blerun-UID`; made
  /// where it is missing.
  ///
  /// - Throws: ``Problem`` when it can neither be made nor trusted.
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

  /// - Parameter path: A folder that exists.
  init(path: String) { self.path = path }

  /// Whether the folder is there, made now if need be, and only this user can write to it.
  private static func isOurs(_ path: String) -> Bool {
    if mkdir(path, 0o700) != 0, errno != EEXIST { return false }
    var status = stat()
    guard lstat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == getuid()
      && status.st_mode & 0o022 == 0
  }

  static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// Where temporary files are made: `$TMPDIR`, or `/tmp`.
  static var temporary: String {
    let given = variable("TMPDIR") ?? ""
    return given.hasPrefix("/") ? given : "/tmp"
  }

  /// The names of the files in the folder, sorted.
  var names: [String] { Folder.names(in: path) ?? [] }
}
