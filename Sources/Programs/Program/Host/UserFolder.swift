// The folders for settings and for persistent data of a user.

import Glibc

/// The folders of this program in the user's XDG folders.
enum UserFolder {
  /// The default path of the names file: `$XDG_CONFIG_HOME/blerun/names.yaml`, or in `~/.config`; nil if neither
  /// variable is set.
  static var names: String? { path("XDG_CONFIG_HOME", usual: ".config", "names.yaml") }

  /// The default path of the journal: `$XDG_STATE_HOME/blerun/journal.sqlite`, or in `~/.local/state`; nil if neither
  /// variable is set.
  static var journal: String? { state("journal.sqlite") }

  /// The path of a file in the folder of the journal.
  static func state(_ file: String) -> String? {
    path("XDG_STATE_HOME", usual: ".local/state", file)
  }

  /// - Source: XDG Base Directory Specification 0.8: a path that is not absolute is ignored.
  private static func path(_ variable: String, usual: String, _ file: String) -> String? {
    let home = RuntimeFolder.variable("HOME").map { "\($0)/\(usual)" }
    let folder = [RuntimeFolder.variable(variable), home].compactMap(\.self)
      .first { $0.hasPrefix("/") }
    return folder.map { "\($0)/blerun/\(file)" }
  }

  /// Whether a file exists, readable or not. False in a folder that cannot be searched, such as the home of another
  /// user, which a service or `sudo` may have in `HOME`.
  static func exists(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 || ![ENOENT, ENOTDIR, EACCES].contains(errno)
  }
}
