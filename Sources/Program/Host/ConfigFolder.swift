// Where a user keeps settings of this program.

import Glibc

/// The usual place of settings.
enum ConfigFolder {
  /// `$XDG_CONFIG_HOME/blerun/names.yaml`, or the same below `~/.config`; nil where neither is known.
  ///
  /// - Source: XDG Base Directory Specification 0.8: a path that is not absolute is ignored.
  static func names(environment: (String) -> String? = RuntimeFolder.variable) -> String? {
    let candidates = [
      environment("XDG_CONFIG_HOME"), environment("HOME").map { $0 + "/.config" },
    ]
    let folder = candidates.compactMap { $0 }.first { $0.hasPrefix("/") }
    return folder.map { $0 + "/blerun/names.yaml" }
  }

  /// Whether a file is there, also one that cannot be read. A folder of another user, which a service
  /// or `sudo` may have as its home, has none that is known.
  static func exists(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 || ![ENOENT, ENOTDIR, EACCES].contains(errno)
  }
}
