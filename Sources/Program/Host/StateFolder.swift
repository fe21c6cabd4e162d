// Where this user's programs keep what outlives a restart.

/// The usual place of the journal.
enum StateFolder {
  /// `$XDG_STATE_HOME/blerun/journal.sqlite`, or the same below `~/.local/state`; nil where neither
  /// is known.
  static func journal(environment: (String) -> String? = RuntimeFolder.variable) -> String? {
    path(environment: environment).map { $0 + "/journal.sqlite" }
  }

  /// `$XDG_STATE_HOME/blerun`, or the same below `~/.local/state`; nil where neither is known.
  ///
  /// - Source: XDG Base Directory Specification 0.8: a path that is not absolute is ignored.
  static func path(environment: (String) -> String? = RuntimeFolder.variable) -> String? {
    let candidates = [
      environment("XDG_STATE_HOME"), environment("HOME").map { $0 + "/.local/state" },
    ]
    let folder = candidates.compactMap { $0 }.first { $0.hasPrefix("/") }
    return folder.map { $0 + "/blerun" }
  }
}
