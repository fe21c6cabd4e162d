// Where a user keeps settings of this program, and what outlives a restart.

import Glibc

/// The folders of this program below those of the user.
enum UserFolder {
  /// The usual place of names: `$XDG_CONFIG_HOME/blerun/names.yaml`, or the same below `~/.config`; nil
  /// where neither is known.
  static var names: String? { path("XDG_CONFIG_HOME", usual: ".config", "names.yaml") }

  /// The usual place of the journal: `$XDG_STATE_HOME/blerun/journal.sqlite`, or the same below
  /// `~/.local/state`; nil where neither is known.
  static var journal: String? { state("journal.sqlite") }

  /// A file beside the journal.
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

  /// Whether a file is there, also one that cannot be read. A folder of another user, which a service
  /// or `sudo` may have as its home, has none that is known.
  static func exists(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 || ![ENOENT, ENOTDIR, EACCES].contains(errno)
  }
}
